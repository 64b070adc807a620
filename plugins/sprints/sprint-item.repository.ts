import { castTo, deleteWhere, iso, noSql, parens, sql, updateWhere } from 'tasuki/plugin'
import type { OwnedKey, RawBuilder, ReadContext, WriteContext } from 'tasuki/plugin'
import { sprintPoints, sprintProgress } from './points.ts'
import type { SprintItem, SprintRow } from './sprint.ts'

/** Returns SQL for the estimate of the item `i` (project `p`) as numeric; null in deployments without estimates. */
export function estimateOf(ctx: ReadContext): RawBuilder<number | null> | null {
  const [points] = ctx.all(sprintPoints)
  return points ? sql`case when p.estimate_unit <> 'none' then (${points(ctx)})::numeric end` : null
}

function progressOf(ctx: ReadContext): RawBuilder<number | null> {
  const known = ctx.all(sprintProgress).map(progress => parens(progress(ctx)))
  return known.length === 0 ? sql.lit(null) : sql`least(1, greatest(0, coalesce(${sql.join(known)})))`
}

/** When work on the sprint `sp` began: its first day in the time zone of its owner `u`, or its start if earlier. */
const begin = sql.raw('least(sp.started_at, sp.start_date::timestamp at time zone u.time_zone)')

/** Condition that the item `i` counts as done in the sprint `sp`. */
const counted = sql<boolean>`(i.completed_at is not null and (i.completed_at < ${begin}) is not true
  and (select s.status_attribute from workflows.states s where s.owner_id = i.owner_id and s.id = i.state_id) = 'done')`

/** The items `i` of sprints `sp` by their links `x`, with the owner `u` and the project `p` of the sprint. */
const itemsOfSprints = sql.raw(`sprints.item_sprints x
    join sprints.sprints sp on sp.owner_id = x.owner_id and sp.id = x.sprint_id
    join core.users u on u.id = sp.owner_id
    join projects.projects p on p.owner_id = sp.owner_id and p.id = sp.project_id
    join items.items i on i.owner_id = x.owner_id and i.id = x.item_id`)

/** Reads the items of a sprint in one statement; `lock` blocks changes of them until the transaction ends. */
export async function readItemsOf(
  ctx: ReadContext,
  { ownerId, id }: OwnedKey,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<readonly SprintItem[]> {
  const { rows } = await sql<SprintItem>`
    select i.id, i.number, i.title, ${iso('i.completed_at')} as "completedAt", (${estimateOf(ctx) ?? sql.lit(null)})::float8 as points,
      (${progressOf(ctx)})::float8 as progress, ${counted} as counted
    from ${itemsOfSprints}
    where x.owner_id = ${ownerId} and x.sprint_id = ${id}
    order by i.id ${lock ? sql.raw('for no key update of i') : noSql}
  `.execute(ctx.db)
  return rows
}

/** The finished work of one day in one sprint. */
export interface DoneDay {
  readonly sprintId: string
  /** `YYYY-MM-DD` in the owner's time zone. */
  readonly day: string
  /** Sum of the estimates; 0 if nothing was estimated. */
  readonly points: number
  readonly items: number
}

/** Reads the finished work per day of some sprints of one owner, in one statement; days without any are left out. */
export async function dailyDone(ctx: ReadContext, ownerId: string, sprintIds: readonly string[]) {
  if (sprintIds.length === 0) return []
  const { rows } = await sql<DoneDay>`
    select x.sprint_id as "sprintId", ((i.completed_at at time zone u.time_zone)::date)::text as day,
      coalesce(sum(${estimateOf(ctx) ?? castTo(null, 'numeric')}), 0)::float8 as points, count(*)::int as items
    from ${itemsOfSprints}
    where x.owner_id = ${ownerId} and x.sprint_id in (${sql.join(sprintIds)}) and ${counted}
    group by 1, 2 order by 1, 2
  `.execute(ctx.db)
  return rows
}

/** Removes items from a sprint. */
export async function deleteSprintItems(ctx: WriteContext, { ownerId, id }: OwnedKey, itemIds: readonly string[]) {
  if (itemIds.length === 0) return
  await deleteWhere(ctx.db, 'sprints.item_sprints', { owner_id: ownerId, sprint_id: id, item_id: itemIds })
}

/** Moves items from one sprint to another of the same owner. */
export async function moveSprintItems(
  ctx: WriteContext,
  { ownerId, id }: OwnedKey,
  to: Pick<SprintRow, 'id'>,
  itemIds: readonly string[],
): Promise<void> {
  if (itemIds.length === 0) return
  await updateWhere(
    ctx.db,
    'sprints.item_sprints',
    { owner_id: ownerId, sprint_id: id, item_id: itemIds },
    { sprint_id: to.id },
  )
}
