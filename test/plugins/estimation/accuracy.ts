import { learn, TUNING, type Tuning } from '../../../plugins/estimation/suggest/forecast.ts'
import { historyOf, medianOf, type History } from '../../../plugins/estimation/suggest/history.ts'
import { corpusOf, countTerms, type ItemText, type Vector } from '../../../plugins/estimation/suggest/likeness.ts'
import { LOOKED_BACK, lookBack } from '../../../plugins/estimation/suggest/range.ts'
import { suggest } from '../../../plugins/estimation/suggest/suggestion.ts'
import { readIssues, type Issue, type IssueFile } from '../../issues.ts'

export const FILES: readonly IssueFile[] = ['mesos', 'jirasoftware', 'moodle']

/** Finished items that the service learns from at most. */
const HISTORY_MAX = 1000
/** Issues that are suggested for before the next learning, where learning goes on. */
const AT_ONCE = 20

/** What is said of one issue. */
export interface Guess {
  readonly real: number
  readonly median: number
  readonly value: number
  /** Of methods that have ranges. */
  readonly confidence?: number
  readonly inRange?: boolean
}

/** How estimates are guessed. */
export interface Method {
  readonly name: string
  readonly countTerms?: (text: ItemText) => Map<string, number>
  readonly textOf?: (issue: Issue) => ItemText
  /** @returns what is said of a text; what a confidence rests on is left out where only values matter */
  readonly learn: (
    history: History,
    withRanges: boolean,
  ) => Promise<(vector: Vector) => { readonly value: number } & Partial<ReturnType<typeof suggest>>>
}

export const textOf = ({ title, description }: Issue): ItemText => ({ title, detail: description })

/** The method of the service, or one that differs from it. */
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

/** Learns once from issues, the earliest first, and says something of others. */
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

/** Suggests for issues from all earlier ones, as the service does with finished items. @param from place of the first of them */
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

/** Learns from the issues of a file marked train and val, once or on and on, and suggests for those marked test: the latest. */
export function ofMarked(file: IssueFile, how: 'once' | 'in order'): Promise<Guess[]> {
  const issues = readIssues(file)
  const from = issues.findIndex(({ split }) => split === 'test')
  return how === 'once' ? learntFrom(issues.slice(0, from), issues.slice(from)) : inOrder(issues, from)
}

/** How well a method did. */
export interface Accuracy {
  /** How much smaller the mean absolute error is than that of the median of what was learnt from, of 1. */
  readonly gain: number
  /** Mean of the stated confidences, and the part of the ranges that hold the real estimate. */
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
