import { sql, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import { stateChanged, stateUsers, workflowAssigned } from '../workflows/points.ts'
import type { ItemChange } from './draft.ts'
import { stateKind, publishChanges, touchTimes } from './write.ts'

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
export const followState = stateChanged((ctx, { ownerId, stateId, to }) =>
  moveAll(ctx, ownerId, sql`true`, [{ old: stateId, fresh: stateId, closed: to === 'closed' }]),
)

/** Moves the items of a project into the states of its new workflow. */
export const followWorkflow = workflowAssigned((ctx, { ownerId, projectId, moves }) =>
  moveAll(
    ctx,
    ownerId,
    sql`i.project_id = ${projectId}`,
    moves.map(({ from, to }) => ({ old: from.id, fresh: to.id, closed: to.system_status === 'closed' })),
  ),
)

interface Move {
  readonly old: string
  readonly fresh: string
  readonly closed: boolean
}

interface MovedRow {
  readonly itemId: string
  readonly projectId: string
  readonly ref: string
  readonly title: string
  readonly from: string
  readonly to: string
  readonly wasCompleted: boolean
  readonly isCompleted: boolean
}

/** Changes that those who hear of them are told at a time: some pass each on to the database as a parameter. */
const TOLD = 1000

/** Moves items along with their states as any other change would: with their times, and with history where anybody can see it. */
async function moveAll(
  ctx: WriteContext,
  ownerId: string,
  which: RawBuilder<boolean>,
  moves: readonly Move[],
): Promise<void> {
  if (moves.length === 0) return
  const { rows } = await sql<MovedRow>`
    with moving as (
      select i.id, i.completed_at is not null as completed, s.name, m.fresh, m.closed
      from jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) as m (old uuid, fresh uuid, closed boolean)
      join items.items i on i.owner_id = ${ownerId} and i.state_id = m.old
      join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id
      where ${which} and (m.fresh <> m.old or (i.completed_at is not null) <> m.closed)
      for no key update of i),
    moved as (
      update items.items i set ${touchTimes(ctx, true)}, state_id = m.fresh,
        completed_at = case when m.closed then coalesce(i.completed_at, ${ctx.now}) end
      from moving m where i.owner_id = ${ownerId} and i.id = m.id
      returning i.id, i.owner_id, i.project_id, i.number, i.title, m.name, m.fresh, m.completed, m.closed)
    select i.id as "itemId", i.project_id as "projectId", p.key || '#' || i.number as ref, i.title, i.name as from, s.name as to,
      i.completed as "wasCompleted", i.closed as "isCompleted"
    from moved i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    join workflows.states s on s.owner_id = i.owner_id and s.id = i.fresh
    where i.name <> s.name or i.completed <> i.closed
    order by i.number
  `.execute(ctx.db)
  const changes = rows.map(({ wasCompleted, isCompleted, ...row }): ItemChange => ({
    ownerId,
    ...row,
    kind: stateKind(wasCompleted, isCompleted),
  }))
  for (let n = 0; n < changes.length; n += TOLD) await publishChanges(ctx, changes.slice(n, n + TOLD))
}
