import { iso, sql, ToolError, type RawBuilder, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { checkRole, keyColumn } from '../projects/index.ts'
import type { ItemRow } from './draft.ts'
import { matchRef, ownerEmail, readRef, refsCondition, type Ref, type RefRow } from './refs.ts'
import { attempt } from './refusals.ts'

/** The order of importance, as stored (1-based). */
export const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const

/** SQL of the word for a stored priority. */
export const priorityName = sql<string>`(array['urgent', 'high', 'normal', 'low'])[i.priority]`

/** What every read of items joins: the project `p` and the workflow state `s`. */
export const itemJoins = sql`
  join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
  join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id`

/** SQL of the reference of an item that the columns of another table name, each with the alias before it. */
export function refOf(ctx: ReadContext, owner: string, item: string): RawBuilder<string> {
  return sql<string>`(select ${keyColumn(ctx, 'rp')} || '#' || ri.number from items.items ri
    join projects.projects rp on rp.owner_id = ri.owner_id and rp.id = ri.project_id
    where ri.owner_id = ${sql.ref(owner)} and ri.id = ${sql.ref(item)})`
}

/**
 * The state is looked up instead of joined: a call that waited for the lock of an item gets its new columns beside the joined rows
 * of before, and would lose an item whose state changed meanwhile.
 */
const rowColumns = (ctx: ReadContext): RawBuilder<unknown> => sql`
  i.owner_id as "ownerId", i.id, i.number, i.type, i.title, i.detail, i.due_date::text as "dueDate", i.due_time as "dueTime",
  i.start_date::text as "startDate", ${priorityName} as priority, i.kind, i.parent_id as "parentId", i.state_id as "stateId",
  ${iso('i.archived_at')} as "archivedAt", ${iso('i.completed_at')} as "completedAt", ${iso('i.created_at')} as "createdAt",
  ${iso('i.updated_at')} as "updatedAt", ${iso('i.last_activity_at')} as "lastActivityAt", p.key, i.former_keys as "formerKeys",
  json_build_object('ownerId', p.owner_id, 'id', p.id, 'key', ${keyColumn(ctx, 'p')}, 'name', p.name, 'description', p.description, 'isInbox', p.is_inbox,
    'estimateUnit', p.estimate_unit, 'features', p.features, 'archived', p.archived_at is not null) as project,
  (select s.workflow_id from workflows.states s where s.owner_id = i.owner_id and s.id = i.state_id) as "workflowId",
  (select json_build_object('id', s.id, 'name', s.name, 'systemStatus', s.system_status, 'category', s.category,
    'statusAttribute', s.status_attribute, 'colorHex', s.color_hex)
    from workflows.states s where s.owner_id = i.owner_id and s.id = i.state_id) as state`

export interface ItemDemand {
  /** The caller is going to change it. */
  readonly write?: boolean
  /** Lock the rows until the transaction ends. */
  readonly lock?: boolean
  /** Name of the parameter, for errors; default item_ref. */
  readonly field?: string
}

/** One reference of a batch, with the item or why there is none. */
export type Found =
  | { readonly ref: string; readonly item: ItemRow }
  | { readonly ref: string; readonly error: ToolError }

/** Finds the item of a reference, in one statement. @throws ToolError not_found, ambiguous_ref, forbidden, invalid_argument */
export async function requireItem(ctx: ReadContext, ref: string, demand: ItemDemand = {}): Promise<ItemRow> {
  const [found] = await findItems(ctx, [ref], demand)
  if ('error' in found!) throw found.error
  return found!.item
}

/** Finds the items of many references in one statement, in their order; a reference that fails carries its error. */
export async function findItems(
  ctx: ReadContext,
  texts: readonly string[],
  { write = false, lock = false, field = 'item_ref' }: ItemDemand = {},
): Promise<Found[]> {
  const refs = texts.map(text => attempt(() => readRef(ctx, text, field)))
  const readable = refs.filter((ref): ref is Ref => !(ref instanceof ToolError))
  const rows = readable.length === 0 ? [] : await selectRows<ItemRow>(ctx, readable, rowColumns(ctx), lock)
  return refs.map((ref, n): Found => {
    const text = texts[n]!
    if (ref instanceof ToolError) return { ref: text, error: ref }
    const item = attempt(() => {
      const row = matchRef(ctx, ref, rowsFor(ref, rows, readable), text, field)
      checkRole(ctx, row.project, { write })
      return row
    })
    return item instanceof ToolError ? { ref: text, error: item } : { ref: text, item }
  })
}

/** Of an item, what tells whether it changed. */
export interface ItemVersion {
  readonly id: string
  readonly type: ItemRow['type']
  /** ISO 8601 UTC. */
  readonly updatedAt: string
}

const versionColumns = sql`i.owner_id as "ownerId", i.id, i.number, i.type, ${iso('i.updated_at')} as "updatedAt", p.key`

/** Finds when the items of many references changed last, in one statement, in their order; null where there is no such item. */
export async function findVersions(ctx: ReadContext, texts: readonly string[]): Promise<(ItemVersion | null)[]> {
  const refs = texts.map(text => attempt(() => readRef(ctx, text, 'item')))
  const readable = refs.filter((ref): ref is Ref => !(ref instanceof ToolError))
  const rows = readable.length === 0 ? [] : await selectRows<ItemVersion>(ctx, readable, versionColumns)
  return refs.map((ref, n) => {
    if (ref instanceof ToolError) return null
    const row = attempt(() => matchRef(ctx, ref, rowsFor(ref, rows, readable), texts[n]!, 'item'))
    return row instanceof ToolError ? null : row
  })
}

/** Refuses every further reference to an item that the call names already. */
export function refuseRepeats(found: readonly Found[], field: string): Found[] {
  const seen = new Set<string>()
  return found.map((one): Found => {
    if ('error' in one) return one
    const { ref, item } = one
    if (!seen.has(item.id)) {
      seen.add(item.id)
      return one
    }
    const help = { field, hint: 'Name each item once.' }
    return { ref, error: new ToolError('invalid_argument', `${ref} is named twice.`, help) }
  })
}

/** An item by its key. */
export interface ItemKey {
  readonly ownerId: string
  readonly id: string
}

/** Locks items of any owners and loads them, by id, for work that no user asked for; those that are gone are left out. */
export async function lockItems(ctx: WriteContext, keys: readonly ItemKey[]): Promise<ReadonlyMap<string, ItemRow>> {
  if (keys.length === 0) return new Map()
  const wanted = sql.join(keys.map(({ ownerId, id }) => sql`(${ownerId}::uuid, ${id}::uuid)`))
  const { rows } = await sql<ItemRow>`
    select ${rowColumns(ctx)} from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where (i.owner_id, i.id) in (${wanted}) order by i.owner_id, i.id for no key update of i
  `.execute(ctx.db)
  return new Map(rows.map(row => [row.id, row]))
}

/** A row that references are matched with, whatever else it has. */
type Selected<T> = T & RefRow & { readonly matched: readonly boolean[] }

/** Forms without a number are matched by the database: each row tells which of them it satisfies. */
function rowsFor<T>(ref: Ref, rows: readonly Selected<T>[], refs: readonly Ref[]): readonly Selected<T>[] {
  if (ref.form === 'number') return rows
  const place = refs.filter(other => other.form === 'other').indexOf(ref)
  return rows.filter(row => row.matched[place])
}

async function selectRows<T>(
  ctx: ReadContext,
  refs: readonly Ref[],
  columns: RawBuilder<unknown>,
  lock = false,
): Promise<readonly Selected<T>[]> {
  const conditions = refs.flatMap(ref => (ref.form === 'other' ? [ref.condition] : []))
  // Not `for update`: that would hold up whoever only refers to the item.
  const { rows } = await sql<Selected<T>>`
    select ${columns}, ${ownerEmail(ctx)} as "ownerEmail", json_build_array(${sql.join(conditions)}) as matched
    from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where ${refsCondition(ctx, refs)}
    order by i.owner_id, i.id ${lock ? sql`for no key update of i` : sql``}
  `.execute(ctx.db)
  return rows
}
