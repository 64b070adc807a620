import { distribution, historyOf, WEIGHING, type Weighing } from '../../../plugins/estimation/suggest/history.ts'
import { corpusOf, type Corpus } from '../../../plugins/estimation/suggest/likeness.ts'
import { rangesOf } from '../../../plugins/estimation/suggest/range.ts'
import { medianOf } from '../../../plugins/estimation/suggest/suggestion.ts'
import { readIssues } from '../../issues.ts'
import { FILES, textOf } from './accuracy.ts'

const HALF_LIVES = [50, 100, 200, 400, Infinity]
const WHOLES = [0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4]

/** The issues of a project that are marked for training, the latest first. */
interface Training {
  readonly corpus: Corpus
  readonly points: readonly number[]
  /** Issues that are judged: the latest two fifths. */
  readonly judged: number
  /** Mean absolute error of the median of what came before each. */
  readonly medianError: number
}

async function trainingOf(file: (typeof FILES)[number]): Promise<Training> {
  const issues = readIssues(file).filter(issue => issue.split === 'train')
  issues.reverse()
  const points = issues.map(issue => issue.points)
  const judged = Math.floor(points.length * 0.4)
  const errors = points.slice(0, judged).map((real, place) => Math.abs(real - medianOf(points.slice(place + 1))))
  return { corpus: await corpusOf(issues.map(textOf)), points, judged, medianError: mean(errors) }
}

/**
 * The error for each judged issue, by the median's: half from learning of all before it, as the service does, and half from having learnt
 * once, of all before the fifth that it is in.
 */
function lossesOf({ corpus, points, judged, medianError }: Training, weighing: Weighing): number[] {
  const history = historyOf(corpus, points, weighing)
  return Array.from({ length: judged }, (_, place) => {
    const likeness = corpus.likenessWithin(place)
    const fifth = Math.ceil(((place + 1) * 2) / judged) * Math.floor(judged / 2)
    const errorSince = (since: number): number =>
      Math.abs(points[place]! - rangesOf(distribution(history, likeness, since))[0]!.low)
    return (errorSince(place + 1) + errorSince(Math.max(place + 1, fifth))) / 2 / medianError
  })
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length
}

/** Variance of the mean. */
function scatter(values: readonly number[]): number {
  const middle = mean(values)
  return mean(values.map(value => (value - middle) ** 2)) / (values.length - 1)
}

// TEST_DATA_DIR=… node --conditions=tasuki-source test/plugins/estimation/weighing.ts
// Looks at no issue that is marked for validation or test.
const trainings = await Promise.all(FILES.map(trainingOf))
const results = HALF_LIVES.flatMap(halfLife =>
  WHOLES.map(whole => {
    const losses = trainings.map(training => lossesOf(training, { halfLife, whole }))
    const error = Math.sqrt(losses.reduce((sum, each) => sum + scatter(each), 0)) / losses.length
    return { halfLife, whole, loss: mean(losses.map(mean)), error, each: losses.map(mean) }
  }),
)
const best = results.toSorted((a, b) => a.loss - b.loss)[0]!
// What cannot be told from the best is as good, and the nearest to the plain median errs least where a project differs from these.
const asGood = results.filter(({ loss }) => loss <= best.loss + best.error)
const chosen = asGood.toSorted((a, b) => b.whole - a.whole || b.halfLife - a.halfLife)[0]!
console.log(`Error by the median's, and for each of ${FILES.join(', ')}; a standard error is ${best.error.toFixed(3)}.`)
for (const result of results) {
  const { halfLife, whole, loss, each } = result
  const figures = `${loss.toFixed(3)} (${each.map(value => value.toFixed(3)).join(' ')})`
  const marks = [
    result === best && 'best',
    result === chosen && 'chosen',
    halfLife === WEIGHING.halfLife && whole === WEIGHING.whole && 'in use',
  ].filter(Boolean)
  console.log(`half-life ${String(halfLife).padEnd(8)} whole ${String(whole).padEnd(4)} ${figures} ${marks.join(', ')}`)
}
