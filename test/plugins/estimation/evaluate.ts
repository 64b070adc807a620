import { SeededRandom } from '../../../plugins/estimation/forecast/seeded-random.ts'
import { readIssues, type Issue } from '../../issues.ts'
import { accuracyOf, average, FILES, inOrder, learntFrom, ofMarked, SUGGESTIONS } from './accuracy.ts'
import type { Accuracy, Method } from './accuracy.ts'
import { METHODS } from './methods.ts'

/** Shares of the issues in each training set, and the share of the following issues in its test set. */
const LEARNT = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85]
const TESTED = 0.15
/** Share of the issues that is only for training when issues are predicted in order. */
const BEFORE = 0.4
/** Random orders of the issues, in which nothing changes over time. */
const ORDERS = 40

/** Cross-validates in chronological order: learns once from each training set. @returns the predictions of each fold */
export async function folds(
  issues: readonly Issue[],
  method: Method,
  learnt: readonly number[] = LEARNT,
): Promise<Accuracy[]> {
  const place = (part: number): number => Math.floor(issues.length * Math.min(1, part))
  const said: Accuracy[] = []
  for (const part of learnt) {
    const tested = issues.slice(place(part), place(part + TESTED))
    said.push(accuracyOf(await learntFrom(issues.slice(0, place(part)), tested, method)))
  }
  return said
}

/** Learns once from issues in a random order, and predicts as many others as are marked test. @returns the predictions of each order */
export async function inRandomOrder(issues: readonly Issue[], orders = ORDERS): Promise<Accuracy[]> {
  const tested = issues.filter(({ split }) => split === 'test').length
  const said: Accuracy[] = []
  for (let n = 0; n < orders; n++) {
    const random = new SeededRandom(`order ${n}`)
    const order = issues
      .map(issue => ({ issue, key: random.nextBelow(1_000_000) }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ issue }) => issue)
    said.push(accuracyOf(await learntFrom(order.slice(0, -tested), order.slice(-tested))))
  }
  return said
}

async function printSplits(): Promise<void> {
  console.log('\nIssues marked for test: gain on the median, stated, held.')
  for (const file of FILES)
    for (const how of ['once', 'in order'] as const) {
      const { gain, stated, covered } = accuracyOf(await ofMarked(file, how))
      console.log(`${file.padEnd(14)}${how.padEnd(16)}${percent(gain)}${percent(stated)}${percent(covered)}`)
    }
  console.log(`\nAs many issues in ${ORDERS} random orders: stated, held, and the mean difference of one order.`)
  for (const file of FILES) {
    const said = await inRandomOrder(readIssues(file))
    const [stated, covered] = [average(said.map(each => each.stated)), average(said.map(each => each.covered))]
    const miss = average(said.map(each => Math.abs(each.stated - each.covered)))
    console.log(`${file.padEnd(30)}${percent(stated)}${percent(covered)}${percent(miss)}`)
  }
}

const percent = (value: number): string => (100 * value).toFixed(1).padStart(6)

// TEST_DATA_DIR=… npm run estimates; `-- ridge` runs only methods with this word in their name, `-- split` the confidence on single splits
if (import.meta.main) {
  const [word = ''] = process.argv.slice(2)
  if (word === 'split') {
    await printSplits()
    process.exit()
  }
  console.log('Error below that of the median, in percent: learnt once (mean and least of twelve folds), and in order.')
  for (const method of METHODS.filter(({ name }) => name.includes(word))) {
    const cells = []
    for (const file of FILES) {
      const issues = readIssues(file)
      const gains = (await folds(issues, method)).map(({ gain }) => gain)
      const guesses = await inOrder(issues, Math.floor(issues.length * BEFORE), method, false)
      cells.push(`${percent(average(gains))}${percent(Math.min(...gains))}${percent(accuracyOf(guesses).gain)}`)
    }
    console.log(`${method.name.padEnd(30)}${cells.join('  |')}`)
  }
  if (word !== '') process.exit()
  console.log(
    '\nConfidence of ranges, in percent: stated, held, and the difference; learnt once, the mean of twelve folds.',
  )
  const misses = []
  for (const file of FILES) {
    const said = await folds(readIssues(file), SUGGESTIONS)
    const [stated, covered] = [average(said.map(each => each.stated)), average(said.map(each => each.covered))]
    misses.push(Math.abs(stated - covered))
    const fold = average(said.map(each => Math.abs(each.stated - each.covered)))
    console.log(
      `${file.padEnd(30)}${percent(stated)}${percent(covered)}${percent(covered - stated)}  a fold ${percent(fold)}`,
    )
  }
  console.log(`${'mean'.padEnd(30)}${' '.repeat(12)}${percent(average(misses))}`)
  await printSplits()
}
