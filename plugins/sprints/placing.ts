import { sql, type RawBuilder, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { closedSprint } from './pick.ts'
import { above, pathKeyOf, sprintRow, type SprintRow } from './rows.ts'

/** A sprint together with those of the call's items that are in it. */
export interface PlacedSprint extends SprintRow {
  readonly items: readonly string[]
}

/** Finds the sprints of some items, and all sprints of some projects, in one statement. */
export async function findPlaces(
  ctx: ReadContext,
  owners: readonly string[],
  { items = [], projects = [] }: { readonly items?: readonly string[]; readonly projects?: readonly string[] },
): Promise<readonly PlacedSprint[]> {
  const of = sql.join([...new Set(owners)])
  const links =
    items.length === 0
      ? sql`(select null::uuid as sprint_id, null::uuid as item_id where false)`
      : sql`(select o.sprint_id, o.item_id from sprints.item_sprints o where o.owner_id in (${of}) and o.item_id in (${sql.join(items)}))`
  const inProjects: RawBuilder<boolean> =
    projects.length === 0 ? sql`false` : sql`sp.project_id in (${sql.join([...new Set(projects)])})`
  const { rows } = await sql<{ sprint: SprintRow; items: readonly string[] }>`
    with links as ${links}
    select ${sprintRow} as sprint, coalesce((select jsonb_agg(k.item_id) from links k where k.sprint_id = sp.id), '[]') as items
    from sprints.sprints sp ${above}
    where sp.owner_id in (${of}) and (sp.id in (select k.sprint_id from links k) or ${inProjects})
    order by ${pathKeyOf} collate "C"
  `.execute(ctx.db)
  return rows.map(row => ({ ...row.sprint, items: row.items }))
}

/** Where an item goes; null = into no sprint. */
export interface Move {
  readonly ownerId: string
  readonly itemId: string
  readonly from: SprintRow | null
  readonly to: SprintRow | null
  /** The parameter that the sprint came from. */
  readonly field: string
}

/** Moves items between sprints. @throws ToolError sprint_closed when a sprint was closed since it was read */
export async function placeItems(ctx: WriteContext, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  await holdSprints(ctx, moves)
  const json = JSON.stringify(
    moves.map(({ ownerId, itemId, to }) => ({ owner_id: ownerId, item_id: itemId, sprint_id: to?.id ?? null })),
  )
  const given = sql`jsonb_to_recordset(${json}::jsonb) as m(owner_id uuid, item_id uuid, sprint_id uuid)`
  if (moves.some(move => move.to === null)) {
    await sql`
      delete from sprints.item_sprints x using ${given} where x.owner_id = m.owner_id and x.item_id = m.item_id and m.sprint_id is null
    `.execute(ctx.db)
  }
  if (moves.every(move => move.to === null)) return
  await sql`
    insert into sprints.item_sprints (owner_id, item_id, sprint_id)
    select m.owner_id, m.item_id, m.sprint_id from ${given} where m.sprint_id is not null
    on conflict (owner_id, item_id) do update set sprint_id = excluded.sprint_id
  `.execute(ctx.db)
}

/** Keeps the sprints that items enter and leave as they are until the transaction ends: a close waits, or was first. */
async function holdSprints(ctx: WriteContext, moves: readonly Move[]): Promise<void> {
  const sprints = new Map(
    moves.flatMap(({ from, to }) => [from, to].flatMap(sprint => (sprint ? [[sprint.id, sprint] as const] : []))),
  )
  const keys = [...sprints.values()].map(({ ownerId, id }) => sql`(${ownerId}::uuid, ${id}::uuid)`)
  const { rows } = await sql<{ id: string }>`
    select sp.id from sprints.sprints sp where (sp.owner_id, sp.id) in (${sql.join(keys)}) and sp.status <> 'closed'
    order by sp.owner_id, sp.id for share
  `.execute(ctx.db)
  const open = new Set(rows.map(row => row.id))
  const gone = [...sprints.values()].find(({ id, status }) => status !== 'closed' && !open.has(id))
  if (gone) throw closedSprint(gone, moves[0]!.field)
}

/** Why an item may not move, or nothing. What was done in a closed sprint stays there; work that was reopened may go on. */
export function moveProblem(
  { from, to, field }: Pick<Move, 'from' | 'to' | 'field'>,
  completedAt: string | null,
): ReturnType<typeof closedSprint> | null {
  if (to?.status === 'closed') return closedSprint(to, field)
  if (from?.status !== 'closed' || (to && completedAt === null)) return null
  return closedSprint(from, field, 'Its items stay with it; only one that was reopened can be moved to another sprint.')
}
