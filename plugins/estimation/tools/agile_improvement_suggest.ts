import { choice, defineTool, nullable, Type, type ReadContext } from 'tasuki/plugin'
import { dayIn } from '../../items/index.ts'
import { projectKey, requireFeature, type ProjectRow } from '../../projects/index.ts'
import { pickSprint, readClosings, readItemsOf, readSprints, sprintRef } from '../../sprints/index.ts'
import type { SprintClosing, SprintRow } from '../../sprints/index.ts'
import { forecastSprint } from '../forecast/forecast.ts'
import { SPRINTS_LOOKED_AT } from '../forecast/pace.ts'
import { pastMetrics, pastSignals, type PastMetrics } from '../improve/past-signals.ts'
import { riskSignals, type SprintState } from '../improve/risk-signals.ts'
import { sortBySeverity } from '../improve/suggestions.ts'
import { readOpenItems } from '../improve/open-item.repository.ts'
import { roundToHundredths } from '../wording.ts'

export const agileImprovementSuggest = defineTool({
  name: 'agile_improvement_suggest',
  class: 'R',
  title: 'Suggest improvements',
  summary: 'Suggests what to do better, from signals of a sprint, with evidence and items.',
  rank: 880,
  gates: ['agile_ai', 'sprints'],
  needs: ['sprints'],
  input: {
    project_key: projectKey('Project key.'),
    sprint_id: Type.Optional(sprintRef('Default: the active sprint.')),
  },
  output: {
    sprint: nullable(Type.Object({ id: Type.String(), path: Type.String(), status: Type.String() })),
    suggestions: Type.Array(
      Type.Object({
        signal: Type.String(),
        severity: choice(['high', 'medium', 'low']),
        suggestion: Type.String(),
        evidence: Type.String(),
        item_refs: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    metrics: Type.Object({
      closed_sprints: Type.Integer({ description: 'Looked at.' }),
      carry_over_rate: Type.Optional(Type.Number()),
      average_velocity: Type.Optional(Type.Number()),
      velocity_unit: Type.Optional(Type.String()),
      velocity_trend: Type.Optional(Type.Number({ description: 'Change per sprint, of the average.' })),
      confidence: Type.Optional(Type.Number({ description: 'Chance to finish by end_date.' })),
    }),
    reason: Type.Optional(Type.String({ description: 'Why nothing is suggested.' })),
  },
  rows: 'suggestions',
  async run(ctx, { project_key, sprint_id }) {
    const { project, sprints } = await readSprints(ctx, project_key)
    requireFeature(ctx, 'agile_ai', project)
    const options = { projectKey: project.key, field: 'sprint_id' }
    // Without an active sprint, the closed ones still provide suggestions.
    const active = sprints.some(sprint => sprint.status === 'active')
    const sprint = sprint_id === undefined && !active ? null : pickSprint(sprints, sprint_id ?? '@active', options)
    const closings = await readClosings(
      ctx,
      project,
      SPRINTS_LOOKED_AT,
      sprint?.status === 'closed' ? sprint : undefined,
    )
    const past = pastMetrics(closings)
    const state = sprint && sprint.status !== 'closed' ? await stateOf(ctx, project, sprint, { closings, past }) : null
    const suggestions = sortBySeverity([...pastSignals(closings, past), ...(state ? riskSignals(state) : [])])
    return {
      sprint: sprint && { id: sprint.id, path: sprint.path, status: sprint.status },
      suggestions,
      metrics: { ...metricsOf(past), ...confidenceOf(state) },
      ...(suggestions.length === 0 && { reason: silence(project, { past, state }) }),
    }
  },
})

async function stateOf(
  ctx: ReadContext,
  project: ProjectRow,
  sprint: SprintRow,
  { closings, past }: { readonly closings: readonly SprintClosing[]; readonly past: PastMetrics | null },
): Promise<SprintState> {
  const items = await readItemsOf(ctx, sprint)
  const open = await readOpenItems(ctx, sprint.ownerId, items)
  const forecast = await forecastSprint(ctx, project, sprint, { closings, items })
  const done = items.filter(item => item.counted)
  const sizes = forecast.load.measure === 'items' ? done.map(() => 1) : done.map(item => item.points ?? 0)
  const planned = forecast.load.remaining + sizes.reduce((a, b) => a + b, 0)
  return { sprint, open, forecast, planned, past, today: dayIn(sprint.timeZone, ctx.now) }
}

function metricsOf(past: PastMetrics | null) {
  if (!past) return { closed_sprints: 0 }
  const { sprints, carryOverRate, averageVelocity, unit, trend } = past
  return {
    closed_sprints: sprints,
    carry_over_rate: roundToHundredths(carryOverRate),
    average_velocity: roundToHundredths(averageVelocity),
    velocity_unit: unit,
    ...(trend !== null && { velocity_trend: roundToHundredths(trend) }),
  }
}

function confidenceOf(state: SprintState | null) {
  const confidence = state?.forecast.confidence ?? null
  return confidence === null ? {} : { confidence }
}

function silence(
  { key }: ProjectRow,
  { past, state }: { readonly past: PastMetrics | null; readonly state: SprintState | null },
): string {
  if (!past && !state) return `${key} has no active and no closed sprint yet.`
  return past
    ? 'None of the signals stands out.'
    : `${key} has no closed sprint yet, and nothing in this one stands out.`
}
