import type { History } from '../../../plugins/estimation/suggest/history.ts'
import { medianOf } from '../../../plugins/sprints/calendar.ts'
import { countTerms, likenessTo, type ItemText } from '../../../plugins/estimation/suggest/likeness.ts'
import { SeededRandom } from '../../../plugins/estimation/forecast/seeded-random.ts'
import type { Issue } from '../../issues.ts'
import { average, SUGGESTIONS, suggestions, textOf, type Method } from './accuracy.ts'

/** Regularization strength; 1 and 3 give similar results. */
const RIDGE = 3

/** Counts words only, without the term that marks the first word. */
function countWords(text: ItemText): Map<string, number> {
  return new Map([...countTerms(text)].filter(([term]) => !term.startsWith('first ')))
}

/** The baseline for suggestions: ridge regression of the logarithm of estimates on words weighted by rarity, around the median. */
export const REGRESSION: Method = {
  name: 'regression around the median',
  countTerms: countWords,
  async learn({ corpus, estimates, levels }: History) {
    const logarithms = estimates.map(Math.log1p)
    const mean = average(logarithms)
    const weights = ridge(
      corpus.vectors.map(vector => likenessTo(corpus, vector)),
      logarithms.map(value => value - mean),
    )
    const median = Math.log1p(medianOf(estimates))
    return vector => {
      const above = likenessTo(corpus, vector).reduce((sum, value, place) => sum + value * weights[place]!, 0)
      const guess = Math.expm1(median + above)
      const value = levels.reduce(
        (best, level) => (Math.abs(level.value - guess) < Math.abs(best - guess) ? level.value : best),
        Infinity,
      )
      return { value }
    }
  },
}

/** Computes the weights of kernel ridge regression: solves (K + RIDGE) w = y by Cholesky decomposition. */
function ridge(kernel: readonly Float64Array[], values: readonly number[]): Float64Array {
  const size = values.length
  const lower = kernel.map((row, n) => {
    const copy = Float64Array.from(row)
    copy[n]! += RIDGE
    return copy
  })
  for (let column = 0; column < size; column++) {
    const top = lower[column]!
    top[column] = Math.sqrt(top[column]! - product(top, top, column))
    for (let row = column + 1; row < size; row++) {
      const each = lower[row]!
      each[column] = (each[column]! - product(each, top, column)) / top[column]!
    }
  }
  const solved = Float64Array.from(values)
  for (let n = 0; n < size; n++) solved[n] = (solved[n]! - product(lower[n]!, solved, n)) / lower[n]![n]!
  for (let n = size - 1; n >= 0; n--) {
    for (let k = n + 1; k < size; k++) solved[n]! -= lower[k]![n]! * solved[k]!
    solved[n]! /= lower[n]![n]!
  }
  return solved
}

function product(a: Float64Array, b: Float64Array, count: number): number {
  let sum = 0
  for (let n = 0; n < count; n++) sum += a[n]! * b[n]!
  return sum
}

/**
 * Adds a synthetic fact, because the data sets have neither kinds nor labels. It shows the cost of an irrelevant fact and the gain of a
 * relevant one.
 */
function withFact(factOf: (issue: Issue, random: SeededRandom) => string): (issue: Issue) => ItemText {
  return issue => ({ ...textOf(issue), facts: [factOf(issue, new SeededRandom(issue.key))] })
}

/** The method of the service, its baselines, and alternatives that were tried. */
export const METHODS: readonly Method[] = [
  SUGGESTIONS,
  REGRESSION,
  suggestions('without the first word', { countTerms: countWords }),
  suggestions('titles only', { textOf: ({ title }) => ({ title, detail: '' }) }),
  suggestions('1,000 characters of bodies', { countTerms: text => countTerms(text, 1000) }),
  suggestions('without age', { tuning: { halfLife: Infinity } }),
  suggestions('half-life 200', { tuning: { halfLife: 200 } }),
  suggestions('ridge 1', { tuning: { ridge: 1 } }),
  suggestions('ridge 4', { tuning: { ridge: 4 } }),
  suggestions('median of the forecast', { tuning: { down: 0, up: 0 } }),
  suggestions('both bounds 0.08', { tuning: { down: 0.08, up: 0.08 } }),
  suggestions('a fact that says nothing', { textOf: withFact((_, random) => `label ${random.nextBelow(4)}`) }),
  suggestions('a fact that is right in half', {
    textOf: withFact(({ points }, random) =>
      random.nextBelow(2) === 0 ? `kind ${random.nextBelow(3)}` : `kind ${points >= 8 ? 2 : points >= 3 ? 1 : 0}`,
    ),
  }),
]
