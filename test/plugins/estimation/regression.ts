import { distribution, historyOf } from '../../../plugins/estimation/suggest/history.ts'
import { corpusOf } from '../../../plugins/estimation/suggest/likeness.ts'
import { rangesOf } from '../../../plugins/estimation/suggest/range.ts'
import { medianOf } from '../../../plugins/estimation/suggest/suggestion.ts'
import { readIssues, type Issue } from '../../issues.ts'
import { FILES, textOf } from './accuracy.ts'

/** Parts of the issues that are learnt from, and the part that follows and is tested. */
const LEARNT = [0.4, 0.55, 0.7, 0.85]
const TESTED = 0.15
/** How much a regression is drawn to the mean; 1 and 3 do alike. */
const RIDGE = 3

type Guess = (issue: Issue) => Readonly<Record<string, number>>

/** Learns once from issues, the earliest first. */
async function learn(known: readonly Issue[]): Promise<Guess> {
  const latestFirst = known.toReversed()
  const estimates = latestFirst.map(({ points }) => points)
  const corpus = await corpusOf(latestFirst.map(textOf))
  const history = historyOf(corpus, estimates)
  const median = medianOf(estimates)
  const logarithms = estimates.map(Math.log1p)
  const mean = average(logarithms)
  const likeness = estimates.map((_, place) => corpus.likenessWithin(place))
  const weights = ridge(
    likeness,
    logarithms.map(value => value - mean),
  )
  const snap = (value: number): number =>
    history.levels.reduce((best, level) => (Math.abs(level - value) < Math.abs(best - value) ? level : best))
  return issue => {
    const alike = corpus.likenessTo(textOf(issue))
    const above = alike.reduce((sum, value, place) => sum + value * weights[place]!, 0)
    return {
      median,
      suggestions: rangesOf(distribution(history, alike, 0))[0]!.low,
      regression: snap(Math.expm1(mean + above)),
      'around the median': snap(Math.expm1(Math.log1p(median) + above)),
    }
  }
}

/** Weights of kernel ridge regression: the solution of (K + RIDGE) w = y, by Cholesky's decomposition. */
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

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

// TEST_DATA_DIR=… node --conditions=tasuki-source test/plugins/estimation/regression.ts
console.log("Error below the median's, in percent; learnt once, tested on what follows.")
for (const file of FILES) {
  const issues = readIssues(file)
  const folds: Record<string, number>[] = []
  for (const part of LEARNT) {
    const [from, to] = [part, part + TESTED].map(share => Math.floor(issues.length * Math.min(1, share))) as [
      number,
      number,
    ]
    const guess = await learn(issues.slice(0, from))
    const errors = issues.slice(from, to).map(issue => {
      const guesses = Object.entries(guess(issue))
      return Object.fromEntries(guesses.map(([name, value]) => [name, Math.abs(value - issue.points)]))
    })
    const errorOf = (name: string): number => average(errors.map(error => error[name]!))
    const names = Object.keys(errors[0]!).filter(name => name !== 'median')
    folds.push(Object.fromEntries(names.map(name => [name, 100 * (1 - errorOf(name) / errorOf('median'))])))
  }
  for (const name of Object.keys(folds[0]!)) {
    const gains = folds.map(fold => fold[name]!)
    console.log(
      `${file.padEnd(12)} ${name.padEnd(17)} ${average(gains).toFixed(1)}  (${gains.map(gain => gain.toFixed(1)).join(' ')})`,
    )
  }
}
