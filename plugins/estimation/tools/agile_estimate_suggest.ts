import { clip, defineTool, ToolError, Type } from 'tasuki/plugin'
import { projectKey, requireFeature } from '../../projects/index.ts'
import { readBacklog, type Backlog, type BacklogItem } from '../suggest/backlog.repository.ts'
import { learn } from '../suggest/forecast.ts'
import { medianOf } from '../../sprints/index.ts'
import { FEWEST, historyOf } from '../suggest/history.ts'
import { corpusOf } from '../suggest/likeness.ts'
import { lookBack } from '../suggest/range.ts'
import { beatsMedian, findMostAlike, suggest, type Basis, type Suggestion } from '../suggest/suggestion.ts'
import { roundToHundredths } from '../wording.ts'

const suggestion = Type.Object({
  item_ref: Type.String(),
  title: Type.String(),
  value: Type.String({ description: 'In the unit of the project.' }),
  range: Type.Object({ low: Type.Number(), high: Type.Number() }),
  confidence: Type.Number({ description: 'Chance that the estimate lies in the range.' }),
  basis: Type.Record(Type.String(), Type.Number(), {
    description: 'The finished tasks that are most alike, the most first: ref → estimate.',
  }),
  most_alike: Type.String({ description: 'Title of the first of them.' }),
  likeness: Type.Number({ description: 'Of the first of them, from 0 to 1.' }),
})

/** Number of title characters that identify a finished task. */
const TITLE_SHOWN = 60

export const agileEstimateSuggest = defineTool({
  name: 'agile_estimate_suggest',
  class: 'R',
  title: 'Suggest estimates',
  summary:
    'Suggests estimates for open tasks without one, from finished tasks with alike texts. Writes nothing; agile_estimate_apply does.',
  rank: 530,
  gates: ['agile_ai', 'estimation'],
  input: { project_key: projectKey('Project key.') },
  output: {
    suggestions: Type.Array(suggestion),
    unit: Type.String(),
    median: Type.Optional(Type.Number({ description: 'Of the finished tasks.' })),
    finished_count: Type.Integer(),
    has_more: Type.Boolean(),
    worth: Type.Optional(Type.String({ description: 'Given where the median would have done as well.' })),
    reason: Type.Optional(Type.String({ description: 'Why nothing is suggested.' })),
  },
  rows: 'suggestions',
  async run(ctx, { project_key }) {
    const backlog = await readBacklog(ctx, project_key)
    const { project, open, finished, hasMore } = backlog
    requireFeature(ctx, 'agile_ai', project)
    requireFeature(ctx, 'estimation', project)
    const { key, estimateUnit: unit } = project
    if (unit === 'none')
      throw new ToolError('conflict', `${key} has no estimate unit.`, {
        field: 'project_key',
        hint: 'Its owner chooses points or hours in the portal, in the settings of the project.',
      })
    const result = { unit, finished_count: finished.length, has_more: hasMore }
    if (open.length === 0) return { suggestions: [], ...result, reason: `Every open task of ${key} has an estimate.` }
    if (finished.length < FEWEST) {
      const reason = `${key} has ${finished.length} finished tasks with an estimate; suggestions need ${FEWEST}.`
      return { suggestions: [], ...result, has_more: false, reason }
    }
    const estimates = finished.map(item => item.estimate)
    const history = historyOf(await corpusOf(finished), estimates)
    const past = await lookBack(history)
    const forecast = await learn(history)
    return {
      suggestions: open.map(item => {
        const vector = history.corpus.vectorOf(item)
        const suggestion = suggest(history, forecast, vector, past, finished.length)
        return toSuggestionJson(backlog, item, { ...suggestion, basis: findMostAlike(history, vector) })
      }),
      ...result,
      median: medianOf(estimates),
      ...(!beatsMedian(past) && { worth: describeAccuracy(past.length) }),
    }
  },
})

function describeAccuracy(seen: number): string {
  return seen === 0
    ? 'Too few finished tasks to tell whether it beats the median.'
    : `No better than the median on the last ${seen} finished tasks.`
}

function toSuggestionJson(
  { project, finished }: Backlog,
  item: BacklogItem,
  suggestion: Suggestion & { readonly basis: Basis },
) {
  const { value, low, high, confidence, basis } = suggestion
  // Never empty when there is a suggestion.
  const [mostAlike] = basis
  return {
    item_ref: `${project.key}#${item.number}`,
    title: item.title,
    value: String(value),
    range: { low, high },
    confidence: roundToHundredths(confidence),
    basis: Object.fromEntries(
      basis.map(({ place }) => [`${project.key}#${finished[place]!.number}`, finished[place]!.estimate]),
    ),
    most_alike: clip(finished[mostAlike!.place]!.title, TITLE_SHOWN),
    likeness: roundToHundredths(mostAlike!.likeness),
  }
}
