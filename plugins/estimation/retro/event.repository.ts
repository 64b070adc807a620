import { iso, sql, type ReadContext } from 'tasuki/plugin'
import type { ItemChange } from '../../items/index.ts'
import { refColumn } from '../../projects/index.ts'
import type { SprintClosing } from '../../sprints/index.ts'

const KINDS = ['item.sprint.changed', 'item.created', 'item.estimate.changed', 'item.reopened', 'item.due_date.changed']
/** Maximum number of changes in a draft. */
const MAX_EVENTS = 2000

/** One change of an item during a sprint. */
export interface SprintEvent extends Pick<ItemChange, 'kind' | 'itemId' | 'ref' | 'title'> {
  readonly from: unknown
  readonly to: unknown
  /** ISO 8601 UTC. */
  readonly at: string
}

/** Reads the changes of a project's items during a sprint, in order. */
export async function readChanges(
  ctx: ReadContext,
  { sprint, closedAt }: Pick<SprintClosing, 'sprint' | 'closedAt'>,
): Promise<readonly SprintEvent[]> {
  const { ownerId, projectId, startedAt } = sprint
  const { rows } = await sql<SprintEvent>`
    select a.kind, a.item_id as "itemId", ${refColumn(ctx)} as ref, i.title, a.from_value as "from", a.to_value as "to",
      ${iso('a.created_at')} as at
    from workspace.activities a
    join items.items i on i.owner_id = a.owner_id and i.id = a.item_id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where a.owner_id = ${ownerId} and a.project_id = ${projectId} and a.kind in (${sql.join(KINDS)})
      and a.created_at > ${startedAt}::timestamptz and a.created_at < ${closedAt}::timestamptz
    order by a.id limit ${sql.lit(MAX_EVENTS)}
  `.execute(ctx.db)
  return rows
}

/** Reads the names that a sprint had between its start and now, before it was renamed. */
export async function readFormerNames(
  ctx: ReadContext,
  { ownerId, projectId, id, startedAt }: SprintClosing['sprint'],
): Promise<readonly string[]> {
  const rows = await ctx.db
    .selectFrom('workspace.activities')
    .select('from_value as from')
    .where(({ and }) => and({ owner_id: ownerId, project_id: projectId, kind: 'sprint.changed' }))
    .where('created_at', '>', startedAt)
    .orderBy('id')
    .limit(MAX_EVENTS)
    .execute()
  const records = rows.map(({ from }) => from as { readonly id: string; readonly name: string })
  return records.flatMap(record => (record.id === id ? [record.name] : []))
}
