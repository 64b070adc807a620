import { learn, TUNING, type Tuning } from '../../../plugins/estimation/suggest/forecast.ts'
import { historyOf, type History } from '../../../plugins/estimation/suggest/history.ts'
import { medianOf } from '../../../plugins/sprints/calendar.ts'
import { corpusOf, countTerms, type ItemText, type Vector } from '../../../plugins/estimation/suggest/likeness.ts'
import { LOOKED_BACK, lookBack } from '../../../plugins/estimation/suggest/range.ts'
import { suggest } from '../../../plugins/estimation/suggest/suggestion.ts'
import { readIssues, type Issue, type IssueFile } from '../../issues.ts'

export const FILES: readonly IssueFile[] = ['mesos', 'jirasoftware', 'moodle']

/** Maximum number of finished items from which the service learns. */
const HISTORY_MAX = 1000
/** Number of issues between two updates of the model, for methods that learn continuously. */
const AT_ONCE = 20

/** The prediction for one issue. */
export interface Guess {
  readonly real: number
  readonly median: number
  readonly value: number
  /** Present for methods that predict ranges. */
  readonly confidence?: number
  readonly inRange?: boolean
}

/** A method that predicts estimates. */
export interface Method {
  readonly name: string
  readonly countTerms?: (text: ItemText) => Map<string, number>
  readonly textOf?: (issue: Issue) => ItemText
  /** @returns a function that predicts the estimate of a text, with the data of its confidence if requested */
  readonly learn: (
    history: History,
    withRanges: boolean,
  ) => Promise<(vector: Vector) => { readonly value: number } & Partial<ReturnType<typeof suggest>>>
}

export const textOf = ({ title, description }: Issue): ItemText => ({ title, detail: description })

/** Makes a method from the service's own algorithm, optionally with changes. */
export function suggestions(
  name: string,
  { tuning, ...other }: { readonly tuning?: Partial<Tuning> } & Partial<Method>,
): Method {
  const tuned = { ...TUNING, ...tuning }
  return {
    name,
    ...other,
    async learn(history, withRanges) {
      const past = withRanges ? await lookBack(history, LOOKED_BACK, tuned) : []
      const forecast = await learn(history, 0, tuned)
      return vector => suggest(history, forecast, vector, past, history.estimates.length)
    },
  }
}

export const SUGGESTIONS = suggestions('suggestions', {})

/** Learns once from issues, earliest first, and predicts others. */
export async function learntFrom(
  known: readonly Issue[],
  tested: readonly Issue[],
  method = SUGGESTIONS,
  withRanges = true,
): Promise<Guess[]> {
  const latest = known.toReversed().slice(0, HISTORY_MAX)
  const toText = method.textOf ?? textOf
  const corpus = await corpusOf(latest.map(toText), method.countTerms ?? countTerms)
  const estimates = latest.map(({ points }) => points)
  const median = medianOf(estimates)
  const guess = await method.learn(historyOf(corpus, estimates), withRanges)
  return tested.map(issue => {
    const { value, low, high, confidence } = guess(corpus.vectorOf(toText(issue)))
    if (low === undefined || high === undefined || confidence === undefined)
      return { real: issue.points, median, value }
    return { real: issue.points, median, value, confidence, inRange: low <= issue.points && issue.points <= high }
  })
}

/** Predicts each issue from all earlier ones, as the service does with finished items. @param from index of the first predicted issue */
export async function inOrder(
  issues: readonly Issue[],
  from: number,
  method = SUGGESTIONS,
  withRanges = true,
): Promise<Guess[]> {
  const guesses: Guess[] = []
  for (let at = from; at < issues.length; at += AT_ONCE)
    guesses.push(...(await learntFrom(issues.slice(0, at), issues.slice(at, at + AT_ONCE), method, withRanges)))
  return guesses
}

/**
 * Learns from the issues of a file that are marked train and val, once or continuously, and predicts the issues marked test, which are the
 * latest.
 */
export function ofMarked(file: IssueFile, how: 'once' | 'in order'): Promise<Guess[]> {
  const issues = readIssues(file)
  const from = issues.findIndex(({ split }) => split === 'test')
  return how === 'once' ? learntFrom(issues.slice(0, from), issues.slice(from)) : inOrder(issues, from)
}

/** Accuracy of a method. */
export interface Accuracy {
  /** Relative reduction of the mean absolute error, compared with the median of the training data; 1 = no error. */
  readonly gain: number
  /** Mean of the stated confidences, and the share of ranges that contain the real estimate. */
  readonly stated: number
  readonly covered: number
}

export function accuracyOf(guesses: readonly Guess[]): Accuracy {
  const error = average(guesses.map(({ real, value }) => Math.abs(real - value)))
  return {
    gain: 1 - error / average(guesses.map(({ real, median }) => Math.abs(real - median))),
    stated: average(guesses.map(({ confidence }) => confidence ?? NaN)),
    covered: average(guesses.map(({ inRange }) => (inRange ? 1 : 0))),
  }
}

export function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
