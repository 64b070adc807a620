import { sql } from 'tasuki/plugin'
import { featureColumn } from '../projects/index.ts'
import { sprintForecasts, sprintPoints, sprintSplits } from '../sprints/points.ts'
import { estimateValue } from './estimate.ts'
import { forecastSprint } from './forecast/forecast.ts'

/** Sprints are measured in estimates where the project has them; else they count items. */
const points = sprintPoints(ctx => sql`case when ${featureColumn(ctx, 'estimation')} then ${estimateValue} end`)

/** A split item keeps the done share of its estimate, as precise as the estimate is, and the rest goes on; together they are as before. */
const splitEstimates = sprintSplits(async (ctx, splits) => {
  const rows = splits.map(({ original, continuation, doneShare }) => ({
    owner_id: original.ownerId,
    from_id: original.id,
    to_id: continuation.id,
    share: doneShare,
  }))
  await sql`
    with parts as (
      select e.owner_id, e.item_id, s.to_id, e.value, round(e.value * s.share, scale(trim_scale(e.value))) as done
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s(owner_id uuid, from_id uuid, to_id uuid, share numeric)
      join estimation.estimates e on e.owner_id = s.owner_id and e.item_id = s.from_id
    ), kept as (
      update estimation.estimates e set value = p.done, updated_at = ${ctx.now} from parts p
      where e.owner_id = p.owner_id and e.item_id = p.item_id
    )
    insert into estimation.estimates (owner_id, item_id, value, updated_at)
    select p.owner_id, p.to_id, p.value - p.done, ${ctx.now}::timestamptz from parts p
  `.execute(ctx.db)
})

/** Everything that estimates add to sprints. */
export const onSprints = [points, splitEstimates, sprintForecasts(forecastSprint)]
