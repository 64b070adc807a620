import { iso, sql, type ReadContext } from 'tasuki/plugin'
import { keyColumn } from '../../projects/index.ts'
import type { SprintClosing } from '../../sprints/index.ts'

const KINDS = ['item.sprint.changed', 'item.created', 'item.estimate.changed', 'item.reopened', 'item.due_date.changed']
/** Changes that a draft looks at; a sprint with more has other troubles. */
const MOST = 2000

/** One change of an item while a sprint ran. */
export interface SprintEvent {
  readonly kind: string
  readonly itemId: string
  readonly ref: string
  readonly title: string
  readonly from: unknown
  readonly to: unknown
  /** ISO 8601 UTC. */
  readonly at: string
}

/** What changed while a sprint ran, in the order in which it happened. */
export interface SprintEvents {
  /** Items that came into the sprint after its start and were in it, or had left again, before its end. */
  readonly added: readonly SprintEvent[]
  readonly removed: readonly SprintEvent[]
  readonly reopened: readonly SprintEvent[]
  readonly estimated: readonly SprintEvent[]
  readonly postponed: readonly SprintEvent[]
}

/** Reads the history of a closed sprint's items, in one statement. */
export async function readEvents(ctx: ReadContext, { sprint, closedAt, items }: SprintClosing): Promise<SprintEvents> {
  const { ownerId, projectId, startedAt, path } = sprint
  const { rows } = await sql<SprintEvent>`
    select a.kind, a.item_id as "itemId", ${keyColumn(ctx, 'p')} || '#' || i.number as ref, i.title, a.from_value as "from", a.to_value as "to",
      ${iso('a.created_at')} as at
    from workspace.activities a
    join items.items i on i.owner_id = a.owner_id and i.id = a.item_id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where a.owner_id = ${ownerId} and a.project_id = ${projectId} and a.kind in (${sql.join(KINDS)})
      and a.created_at > ${startedAt}::timestamptz and a.created_at < ${closedAt}::timestamptz
    order by a.id limit ${sql.lit(MOST)}
  `.execute(ctx.db)
  const its = new Set(items.map(item => item.item_id))
  const moved = rows.filter(event => event.kind === 'item.sprint.changed')
  const entered = moved.filter(event => event.to === path)
  const left = moved.filter(event => event.from === path)
  // An item that was made in the sprint has no entry of its own for coming into it.
  const [came, went] = [entered, left].map(events => new Set(events.map(event => event.itemId)))
  const made = rows.filter(
    ({ kind, itemId }) => kind === 'item.created' && !came!.has(itemId) && (its.has(itemId) || went!.has(itemId)),
  )
  const ofIts = (kind: string): SprintEvent[] => rows.filter(event => event.kind === kind && its.has(event.itemId))
  return {
    added: [...entered, ...made],
    removed: left,
    reopened: ofIts('item.reopened'),
    estimated: ofIts('item.estimate.changed').filter(event => event.from !== null && event.to !== null),
    postponed: ofIts('item.due_date.changed').filter(
      ({ from, to }) => typeof from === 'string' && typeof to === 'string' && to > from,
    ),
  }
}
