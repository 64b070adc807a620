import { allOf, anyOf, castTo, compare, fixedPlan, isOneOf, iso, noSql, parameterize, sql } from 'tasuki/plugin'
import type { AliasedExpression, Condition, Expression, OwnedKey, ReadContext, User, WriteContext } from 'tasuki/plugin'
import { access, isOwnedBy, keyColumn, keyIs, perCaller, readKey, seesAll, visible } from '../projects/index.ts'
import type { ItemRow, ItemType } from './draft.ts'
import { containsText } from './query/filter.repository.ts'
import type { Ref, RefRow } from './refs.ts'

/** SQL of the name of a stored priority. */
export const priorityName = sql.raw<string>(`(array['urgent', 'high', 'normal', 'low'])[i.priority]`)

const projectJoin = sql.raw('join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id')

/** The joins of every read of items: the project `p` and the workflow state `s`. */
export const itemJoins = sql.raw(`
  join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
  join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id`)

/**
 * Returns the SQL of the email of the owner of `i`, which distinguishes equal references of several owners. Without shared projects every
 * item belongs to the caller.
 */
function ownerEmail(ctx: ReadContext): Expression<string> {
  const { shared, email } = access(ctx)
  if (shared.length === 0) return castTo(email, 'text')
  return ctx.db
    .selectFrom('core.users as u')
    .select('u.email')
    .where('u.id', '=', sql.ref<string>('i.owner_id'))
    .$asScalar()
}

/**
 * Returns the SQL of the former project keys of the item `i`, limited to projects that the caller may see: other keys would reveal hidden
 * projects.
 */
function formerKeys(ctx: ReadContext): Expression<unknown> {
  if (seesAll(ctx)) return sql.ref('i.former_keys')
  return sql`(select jsonb_agg(op.key) from projects.projects op
    where op.owner_id = i.owner_id and i.former_keys ? op.key and ${visible(ctx, 'op', 'id')})`
}

/** Returns SQL for the columns of `RefRow`. */
export function refColumns(ctx: ReadContext): Expression<unknown> {
  const build = () =>
    sql`i.owner_id as "ownerId", i.number, p.key, ${formerKeys(ctx)} as "formerKeys", ${ownerEmail(ctx)} as "ownerEmail"`
  return perCaller(ctx, 'reference of item', build)
}

const hasNumber = parameterize((number: Expression<number>) => compare('i.number', 'in', [number]))

/** Returns the condition for the rows that a set of references may name, among the items that the caller may see. */
export function refsCondition(ctx: ReadContext, refs: readonly Ref[]): Condition {
  const numbers = [...new Set(refs.flatMap(ref => (ref.form === 'number' ? [ref.number] : [])))]
  const parts = refs.flatMap(ref => (ref.form === 'other' ? [ref.condition] : []))
  if (numbers.length > 0) parts.push(numbers.length === 1 ? hasNumber(numbers[0]!) : compare('i.number', 'in', numbers))
  // Numbers are unique per owner; contributed forms may match many rows.
  const plan = parts.length === 1 && numbers.length > 0 ? fixedPlan : noSql
  return sql`${plan} ${visible(ctx, 'i')} and ${parts.length === 1 ? parts[0]! : anyOf(parts)}`
}

/**
 * Subqueries instead of joins: after a wait for a row lock, the statement sees new item columns but old joined rows, and would drop an item
 * whose state changed.
 */
const rowColumns = (ctx: ReadContext): Expression<unknown> => sql`
  i.owner_id as "ownerId", i.id, i.number, i.type, i.title, i.detail, i.due_date::text as "dueDate", i.due_time as "dueTime",
  i.start_date::text as "startDate", ${priorityName} as priority, i.kind, i.parent_id as "parentId", i.state_id as "stateId",
  ${iso('i.archived_at')} as "archivedAt", ${iso('i.completed_at')} as "completedAt", ${iso('i.created_at')} as "createdAt",
  ${iso('i.updated_at')} as "updatedAt", ${iso('i.last_activity_at')} as "lastActivityAt", p.key, ${formerKeys(ctx)} as "formerKeys",
  json_build_object('ownerId', p.owner_id, 'id', p.id, 'key', ${keyColumn(ctx, 'p')}, 'name', p.name, 'description', p.description, 'isInbox', p.is_inbox,
    'estimateUnit', p.estimate_unit, 'features', p.features, 'archived', p.archived_at is not null) as project,
  (select s.workflow_id from workflows.states s where s.owner_id = i.owner_id and s.id = i.state_id) as "workflowId",
  (select json_build_object('id', s.id, 'name', s.name, 'systemStatus', s.system_status, 'category', s.category,
    'statusAttribute', s.status_attribute, 'colorHex', s.color_hex)
    from workflows.states s where s.owner_id = i.owner_id and s.id = i.state_id) as state`

/** The columns that show whether an item changed. */
export interface ItemVersion {
  readonly id: string
  readonly type: ItemRow['type']
  /** ISO 8601 UTC. */
  readonly updatedAt: string
}

/** A row with the columns that reference matching needs. */
export type Selected<T> = T & RefRow & { readonly matched: readonly boolean[] }

/** What to lock until the transaction ends: the items, and before them their workflows if their states may change. */
export type ItemLock = boolean | 'with workflows'

/** Reads the items that references may name. */
export function findItemRows(
  ctx: ReadContext,
  refs: readonly Ref[],
  { lock }: { readonly lock: ItemLock },
): Promise<readonly Selected<ItemRow>[]> {
  return selectRows(ctx, refs, rowColumns(ctx), { lock })
}

/** Reads when the items that references may name last changed. */
export function findVersionRows(ctx: ReadContext, refs: readonly Ref[]): Promise<readonly Selected<ItemVersion>[]> {
  const plain = ['i.id', 'i.number', 'i.type', 'p.key'].map(column => sql.ref(column))
  const columns = [...plain, sql.ref('i.owner_id').as('ownerId'), iso('i.updated_at').as('updatedAt')]
  return selectRows(ctx, refs, sql.join(columns), { lock: false })
}

async function selectRows<T>(
  ctx: ReadContext,
  refs: readonly Ref[],
  columns: Expression<unknown>,
  { lock }: { readonly lock: ItemLock },
): Promise<readonly Selected<T>[]> {
  if (refs.length === 0) return []
  const conditions = refs.flatMap(ref => (ref.form === 'other' ? [ref.condition] : []))
  const { rows } = await sql<Selected<T>>`
    select ${columns}, ${ownerEmail(ctx)} as "ownerEmail", json_build_array(${sql.join(conditions)}) as matched
    from items.items i ${projectJoin}
    where ${selectLocked(refsCondition(ctx, refs), lock)}
  `.execute(ctx.db)
  return rows
}

/**
 * Returns the end of a statement that reads the items `i` that meet a condition, in lock order. Workflows are locked before items, as in
 * the creation of items and edits of workflows; another order could deadlock.
 */
function selectLocked(condition: Condition, lock: ItemLock): Expression<unknown> {
  // Not `for update`, which would block writes that only reference the item.
  const ending = sql.raw(`order by i.owner_id, i.id ${lock === false ? '' : 'for no key update of i'}`)
  if (lock !== 'with workflows') return sql`${condition} ${ending}`
  // PostgreSQL evaluates an uncorrelated count before it reads the first item.
  return sql`${condition} and 0 <= (select count(*) from (
    select from workflows.workflows w where (w.owner_id, w.id) in (
      select s.owner_id, s.workflow_id from items.items i ${itemJoins} where ${condition})
    order by w.owner_id, w.id for share) locked) ${ending}`
}

/** Reads a select list over the item `i`, its project `p` and its state `s`, for the items that a reference may name. */
export async function selectWithItem<T extends object>(
  ctx: ReadContext,
  ref: Ref,
  columns: Expression<unknown> | AliasedExpression<unknown, string>,
): Promise<readonly (T & RefRow)[]> {
  const { rows } = await sql<T & RefRow>`
    select ${columns}, ${refColumns(ctx)} from items.items i ${itemJoins} where ${refsCondition(ctx, [ref])}
  `.execute(ctx.db)
  return rows
}

/** The key of an item. */
export type ItemKey = OwnedKey

/** Locks and loads items of any owners. @param keys at least one */
export async function lockItemRows(
  ctx: WriteContext,
  keys: readonly ItemKey[],
  lock: ItemLock,
): Promise<readonly ItemRow[]> {
  const byKey = isOneOf(
    ['i.owner_id', 'i.id'],
    keys.map(({ ownerId, id }) => [ownerId, id]),
  )
  const statement = sql<ItemRow>`
    select ${rowColumns(ctx)} from items.items i ${projectJoin} where ${selectLocked(byKey, lock)}
  `
  const { rows } = await statement.execute(ctx.db)
  // Those that were moved to another project meanwhile are found by the next statement.
  return rows.length < keys.length ? (await statement.execute(ctx.db)).rows : rows
}

/** Finds the items of one owner that a reference may name. */
export async function findItemsOf(ctx: ReadContext, owner: User, ref: Ref): Promise<readonly (RefRow & ItemKey)[]> {
  const { rows } = await sql<RefRow & ItemKey>`
    select i.owner_id as "ownerId", i.id, i.number, p.key, i.former_keys as "formerKeys", ${owner.email}::text as "ownerEmail"
    from items.items i ${projectJoin}
    where i.owner_id = ${owner.id} and ${ref.form === 'number' ? compare('i.number', '=', ref.number) : ref.condition}
  `.execute(ctx.db)
  return rows
}

/** A partly typed `KEY#12` or `#12`. */
const NUMBERED = /^([A-Za-z0-9_]*)#(\d{0,9})$/
/** A partly typed `owner@example.com/KEY#12`. */
const OWNED = /^[^\s/]+@[^\s/]+\/[A-Za-z0-9_]*(#\d{0,9})?$/

/** Finds references by prefix, by number or by words of the title, last changed first. */
export async function findMatchingRefs(
  ctx: ReadContext,
  type: ItemType,
  text: string,
  most: number,
): Promise<readonly string[]> {
  // Clients only offer completions that begin with the typed text.
  const { owner } = OWNED.test(text) ? readKey(text) : { owner: null }
  const key = owner === null ? keyColumn(ctx, 'p') : sql`${owner}::text || '/' || p.key`
  const begins = owner === null ? startsWith(ctx, text) : ownersStartWith(text)
  const { rows } = await sql<{ ref: string }>`
    select ${key} || '#' || i.number as ref from items.items i ${projectJoin}
    where ${visible(ctx, 'i')} and i.type = ${type} and i.archived_at is null and ${begins}
    order by i.updated_at desc, i.number desc limit ${sql.lit(most)}
  `.execute(ctx.db)
  return rows.map(({ ref }) => ref)
}

function ownersStartWith(text: string): Condition {
  const [before = '', digits] = text.split('#')
  const { key, owner } = readKey(before)
  const matching =
    digits === undefined ? [compare('p.key', '^@', key)] : [compare('p.key', '=', key), numberBegins(digits)]
  return allOf([isOwnedBy('p.owner_id', owner!), ...matching])
}

function numberBegins(digits: string): Condition {
  return compare(castTo(sql.ref('i.number'), 'text'), '^@', digits)
}

/** A bare key means the same as in references: the caller's own project comes first. */
function startsWith(ctx: ReadContext, text: string): Condition {
  const numbered = NUMBERED.exec(text)
  if (numbered) {
    const [, key = '', digits = ''] = numbered
    return key === '' ? numberBegins(digits) : allOf([keyIs(ctx, key), numberBegins(digits)])
  }
  const words = text.split(/\s+/).filter(word => word !== '')
  if (words.length === 0) return sql.lit(true)
  const inTitle = words.map(word => containsText('i.title', word))
  return anyOf([compare('p.key', '^@', text.toUpperCase()), numberBegins(text), allOf(inTitle)])
}
