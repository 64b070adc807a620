import { sql } from 'tasuki/plugin'
import { stateChanged, stateUsers, workflowAssigned } from '../workflows/points.ts'
import { touched } from './write.ts'

/** Keeps states that items are in from being deleted. */
export const usesOfStates = stateUsers(async (ctx, { ownerId, stateIds }) => {
  if (stateIds.length === 0) return []
  const { rows } = await sql<{ stateId: string; count: number }>`
    select i.state_id as "stateId", count(*)::int as count from items.items i
    where i.owner_id = ${ownerId} and i.state_id in (${sql.join(stateIds)}) group by 1
  `.execute(ctx.db)
  return rows.map(({ stateId, count }) => ({ stateId, count, text: count === 1 ? '1 item' : `${count} items` }))
})

/** An item is completed exactly while its state is closed. */
export const followState = stateChanged(async (ctx, { ownerId, stateId, to }) => {
  await sql`
    update items.items i set ${touched(ctx, true)}, completed_at = ${to === 'closed' ? ctx.now : null}
    where i.owner_id = ${ownerId} and i.state_id = ${stateId} and (i.completed_at is null) = ${to === 'closed'}
  `.execute(ctx.db)
})

/** Moves the items of a project into the states of its new workflow. */
export const followWorkflow = workflowAssigned(async (ctx, { ownerId, projectId, moves }) => {
  if (moves.length === 0) return
  const rows = JSON.stringify(
    moves.map(({ from, to }) => ({ old: from.id, fresh: to.id, closed: to.system_status === 'closed' })),
  )
  await sql`
    update items.items i set ${touched(ctx, true)}, state_id = m.fresh,
      completed_at = case when m.closed then coalesce(i.completed_at, ${ctx.now}) end
    from jsonb_to_recordset(${rows}::jsonb) as m (old uuid, fresh uuid, closed boolean)
    where i.owner_id = ${ownerId} and i.project_id = ${projectId} and i.state_id = m.old
  `.execute(ctx.db)
})
