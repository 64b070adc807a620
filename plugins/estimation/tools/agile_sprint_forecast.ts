import { choice, defineTool, nullable, Type } from 'tasuki/plugin'
import { readClosings, requireSprint, sprintRef } from '../../sprints/index.ts'
import { forecastSprint } from '../forecast/forecast.ts'
import { SPRINTS_LOOKED_AT } from '../forecast/pace.ts'
import { RUNS } from '../forecast/simulate.ts'
import { roundToHundredths } from '../wording.ts'

const date = nullable(Type.String())

export const agileSprintForecast = defineTool({
  name: 'agile_sprint_forecast',
  class: 'R',
  title: 'Forecast sprint',
  summary:
    'Predicts when the open items of a sprint will be done, from the pace of the last sprints; confidence is the chance by end_date.',
  rank: 550,
  gates: ['sprints'],
  needs: ['sprints'],
  input: { sprint_id: sprintRef('Id, path or @active.') },
  output: {
    sprint: Type.Object({
      id: Type.String(),
      path: Type.String(),
      status: Type.String(),
      end_date: Type.Optional(date),
    }),
    forecast_date: nullable(Type.String(), { description: 'Done by then in 8 of 10 runs; null = reason.' }),
    p50: date,
    p95: date,
    confidence: nullable(Type.Number()),
    remaining_points: Type.Number(),
    unit: Type.String(),
    open_count: Type.Integer(),
    unestimated_count: Type.Integer({ description: "Each counted as the sprint's median." }),
    basis: nullable(
      Type.Object({
        source: choice(['closed_sprints', 'this_sprint', 'capacity']),
        sprints: Type.Array(Type.String()),
        days: Type.Integer(),
        per_day: Type.Number(),
        runs: Type.Integer(),
      }),
    ),
    reason: Type.Optional(Type.String()),
  },
  async run(ctx, { sprint_id }) {
    const { project, sprint } = await requireSprint(ctx, sprint_id)
    const closings = await readClosings(ctx, project, SPRINTS_LOOKED_AT)
    const forecast = await forecastSprint(ctx, project, sprint, { closings })
    const { date: forecast_date, p50, p95, confidence, load, pace, reason } = forecast
    const { id, path, status, endDate } = sprint
    return {
      sprint: { id, path, status, ...(endDate !== null && { end_date: endDate }) },
      forecast_date,
      p50,
      p95,
      confidence,
      remaining_points: load.remaining,
      unit: load.unit,
      open_count: load.openCount,
      unestimated_count: load.measure === 'items' ? 0 : load.unestimatedCount,
      basis: pace && {
        source: pace.source,
        sprints: [...pace.sprints],
        days: pace.days,
        per_day: roundToHundredths(pace.perDay),
        runs: RUNS,
      },
      ...(reason !== null && { reason }),
    }
  },
})
