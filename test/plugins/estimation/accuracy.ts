import { historyOf } from '../../../plugins/estimation/suggest/history.ts'
import { corpusOf } from '../../../plugins/estimation/suggest/likeness.ts'
import { LOOKED_BACK, lookBack } from '../../../plugins/estimation/suggest/range.ts'
import { medianOf, suggest } from '../../../plugins/estimation/suggest/suggestion.ts'
import { readIssues, type Issue, type IssueFile } from '../../issues.ts'

export const FILES: readonly IssueFile[] = ['mesos', 'jirasoftware', 'moodle']

/** How well suggestions do on the issues of one project. How the constants were chosen: `weighing.ts`, core/decisions/0020. */
export interface Accuracy {
  readonly file: IssueFile
  readonly tested: number
  /** Mean absolute error of the suggestions, and of the median of the same history. */
  readonly error: number
  readonly medianError: number
  /** Mean of the stated confidences, and the part of the ranges that hold the real estimate. */
  readonly stated: number
  readonly covered: number
}

interface Guess {
  readonly real: number
  readonly value: number
  readonly median: number
  readonly confidence: number
  readonly inRange: boolean
}

export const textOf = ({ title, description }: Issue) => ({ title, detail: description })

/** Learns from the issues marked train and val once, and suggests for those marked test: the latest ones. */
export async function frozen(file: IssueFile): Promise<Accuracy> {
  const issues = readIssues(file)
  const known = issues.filter(issue => issue.split !== 'test').toReversed()
  const history = historyOf(
    await corpusOf(known.map(textOf)),
    known.map(issue => issue.points),
  )
  const median = medianOf(history.estimates)
  const needed = lookBack(history)
  const guesses = issues
    .filter(issue => issue.split === 'test')
    .map(issue => guess(issue.points, suggest(history, history.corpus.likenessTo(textOf(issue)), needed), median))
  return summary(file, guesses)
}

/** Suggests for each issue marked test from all earlier ones, as the service does with finished items. */
export async function inOrder(file: IssueFile): Promise<Accuracy> {
  const issues = readIssues(file).toReversed()
  const history = historyOf(
    await corpusOf(issues.map(textOf)),
    issues.map(issue => issue.points),
  )
  // What is found of an issue rests on those before it alone, so that looking back once serves all.
  const needed = lookBack(history, issues.length)
  const guesses = issues.flatMap((issue, place) => {
    if (issue.split !== 'test') return []
    const median = medianOf(history.estimates.slice(place + 1))
    const past = needed.slice(place + 1, place + 1 + LOOKED_BACK)
    const suggestion = suggest(history, history.corpus.likenessWithin(place), past, place + 1)
    return [guess(issue.points, suggestion, median)]
  })
  return summary(file, guesses)
}

function guess(real: number, { value, low, high, confidence }: ReturnType<typeof suggest>, median: number): Guess {
  return { real, value, median, confidence, inRange: low <= real && real <= high }
}

function summary(file: IssueFile, guesses: readonly Guess[]): Accuracy {
  const mean = (of: (guess: Guess) => number): number =>
    guesses.reduce((sum, each) => sum + of(each), 0) / guesses.length
  return {
    file,
    tested: guesses.length,
    error: mean(({ real, value }) => Math.abs(real - value)),
    medianError: mean(({ real, median }) => Math.abs(real - median)),
    stated: mean(({ confidence }) => confidence),
    covered: mean(({ inRange }) => (inRange ? 1 : 0)),
  }
}

export function line({ file, tested, error, medianError, stated, covered }: Accuracy): string {
  const gain = 100 * (1 - error / medianError)
  return `${file.padEnd(12)} ${tested} issues  error ${error.toFixed(3)}  median ${medianError.toFixed(3)}  gain ${gain.toFixed(1)} %  stated ${stated.toFixed(3)}  covered ${covered.toFixed(3)}`
}

// TEST_DATA_DIR=… node --conditions=tasuki-source test/plugins/estimation/accuracy.ts
if (import.meta.main) {
  console.log('Learnt once, from the issues before those tested:')
  for (const file of FILES) console.log(line(await frozen(file)))
  console.log('Learnt from all issues before each:')
  for (const file of FILES) console.log(line(await inOrder(file)))
}
