import { iso, json, sql, type OwnedKey, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { Outcome } from './outcome.ts'
import { sprints } from './placement.repository.ts'
import type { SprintRow } from './sprint.ts'

/** The snapshot of a closed sprint. */
export interface SprintClosing {
  readonly sprint: SprintRow
  readonly closedAt: string
  readonly velocity: number
  /** `points`, `hours` or `items`. */
  readonly unit: string
  readonly itemCount: number
  readonly doneCount: number
  /** Size of all items at the close, in `unit`. */
  readonly total: number
  readonly items: readonly Outcome[]
}

/**
 * Reads the snapshots of the last closed sprints of a project, latest first, in one statement.
 * @param until a closed sprint to start with, if it has a snapshot; later ones are left out
 */
export async function readClosings(
  ctx: ReadContext,
  { ownerId, id }: OwnedKey,
  limit: number,
  until?: Pick<SprintRow, 'id'>,
): Promise<readonly SprintClosing[]> {
  const past = until
    ? sql`(cl.closed_at, sp.id) <= (
        select u.closed_at, u.id from sprints.sprints u where u.owner_id = ${ownerId} and u.id = ${until.id})`
    : sql.lit(true)
  const { rows } = await sql<SprintClosing>`
    select ${sprints.sql.row} as sprint, ${iso('cl.closed_at')} as "closedAt", cl.velocity::float8 as velocity, cl.unit,
      cl.item_count as "itemCount", cl.done_count as "doneCount", cl.total::float8 as total, cl.items
    from sprints.sprints sp ${sprints.sql.ancestors} join sprints.closings cl on cl.owner_id = sp.owner_id and cl.sprint_id = sp.id
    where sp.owner_id = ${ownerId} and sp.project_id = ${id} and ${past}
    order by cl.closed_at desc, sp.id desc limit ${limit}
  `.execute(ctx.db)
  return rows
}

/** The stored data of a closed sprint. */
export interface Snapshot extends Pick<SprintClosing, 'velocity' | 'total' | 'unit' | 'items'> {
  readonly review: string
}

/** Inserts the snapshot, and appends the review to the existing note, in one statement. */
export async function insertClosing(
  ctx: WriteContext,
  { ownerId, id }: OwnedKey,
  { velocity, total, unit, items, review }: Snapshot,
): Promise<void> {
  const key = { owner_id: ownerId, sprint_id: id }
  await ctx.db
    .with('note', db =>
      db
        .insertInto('sprints.notes')
        .values({ ...key, slot: 'review', body: review, updated_at: ctx.now })
        .onConflict(conflict =>
          conflict.columns(['owner_id', 'sprint_id', 'slot']).doUpdateSet(({ ref }) => ({
            body: sql<string>`${ref('sprints.notes.body')} || E'\\n\\n' || ${ref('excluded.body')}`,
            updated_at: ref('excluded.updated_at'),
          })),
        ),
    )
    .insertInto('sprints.closings')
    .values({
      ...key,
      closed_at: ctx.now,
      velocity: String(velocity),
      unit,
      item_count: items.length,
      done_count: items.filter(item => item.outcome === 'done').length,
      total: String(total),
      items: json(items),
    })
    .execute()
}
