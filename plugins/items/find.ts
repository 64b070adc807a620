import { ToolError, type ReadContext, type User, type WriteContext } from 'tasuki/plugin'
import { checkRole } from '../projects/index.ts'
import type { ItemRow } from './draft.ts'
import { findItemRows, findItemsOf, findVersionRows, lockItemRows } from './item.repository.ts'
import type { ItemKey, ItemLock, ItemVersion, Selected } from './item.repository.ts'
import { matchRef, readRef, type Ref } from './refs.ts'
import { catchToolError } from './refusals.ts'

export interface ItemDemand {
  /** The caller needs write access. */
  readonly write?: boolean
  /** Lock the rows until the transaction ends; use `with workflows` if their states may change. */
  readonly lock?: ItemLock
  /** Parameter name for errors; default item_ref. */
  readonly field?: string
}

/** One reference of a batch: the item, or the error. */
export type Found =
  | { readonly ref: string; readonly item: ItemRow }
  | { readonly ref: string; readonly error: ToolError }

/** Finds the item that a reference names, in one statement. @throws ToolError not_found, ambiguous_ref, forbidden, invalid_argument */
export async function requireItem(ctx: ReadContext, ref: string, demand: ItemDemand = {}): Promise<ItemRow> {
  const [found] = await findItems(ctx, [ref], demand)
  if ('error' in found!) throw found.error
  return found!.item
}

/**
 * Finds the items of many references in one statement, in the order of the references. A reference that fails yields its error. A statement
 * that waits for the move of an item loses it, because it knows its former project only; another statement then finds it.
 */
export async function findItems(
  ctx: ReadContext,
  texts: readonly string[],
  { write = false, lock = false, field = 'item_ref' }: ItemDemand = {},
): Promise<Found[]> {
  const refs = texts.map(text => catchToolError(() => readRef(ctx, text, field)))
  const readable = refs.filter((ref): ref is Ref => !(ref instanceof ToolError))
  const find = async () => {
    const rows = await findItemRows(ctx, readable, { lock })
    return refs.map((ref, n): Found => {
      const text = texts[n]!
      if (ref instanceof ToolError) return { ref: text, error: ref }
      const item = catchToolError(() => {
        const row = matchRef(ctx, ref, rowsFor(ref, rows, readable), text, field)
        checkRole(ctx, row.project, { write })
        return row
      })
      return item instanceof ToolError ? { ref: text, error: item } : { ref: text, item }
    })
  }
  const found = await find()
  const missing = found.some(one => 'error' in one && one.error.code === 'not_found')
  return missing && lock !== false ? find() : found
}

/** Finds when the items of many references last changed, in one statement, in the order of the references; null for unknown items. */
export async function findVersions(ctx: ReadContext, texts: readonly string[]): Promise<(ItemVersion | null)[]> {
  const refs = texts.map(text => catchToolError(() => readRef(ctx, text, 'item')))
  const readable = refs.filter((ref): ref is Ref => !(ref instanceof ToolError))
  const rows = await findVersionRows(ctx, readable)
  return refs.map((ref, n) => {
    if (ref instanceof ToolError) return null
    const row = catchToolError(() => matchRef(ctx, ref, rowsFor(ref, rows, readable), texts[n]!, 'item'))
    return row instanceof ToolError ? null : row
  })
}

/** Replaces repeated references to the same item by errors. */
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

/**
 * Locks and loads items of any owner by id, for work that no user requested; missing items are left out.
 * @param lock `with workflows` if their states may change or if items are created in the same transaction
 */
export async function lockItems(
  ctx: WriteContext,
  keys: readonly ItemKey[],
  lock: ItemLock = true,
): Promise<ReadonlyMap<string, ItemRow>> {
  if (keys.length === 0) return new Map()
  const rows = await lockItemRows(ctx, keys, lock)
  return new Map(rows.map(row => [row.id, row]))
}

/** Finds and locks the item that a reference names among the items of one owner, for commands. @throws ToolError not_found, invalid_argument */
export async function requireItemOf(
  ctx: WriteContext,
  owner: User,
  text: string,
  { field, lock }: Required<Pick<ItemDemand, 'field' | 'lock'>>,
): Promise<ItemRow> {
  const ref = readRef(ctx, text, field)
  const key = matchRef(ctx, ref, await findItemsOf(ctx, owner, ref), text, field)
  return (await lockItems(ctx, [key], lock)).get(key.id)!
}

/** The database matches forms without a number: each row says which of the references it satisfies. */
function rowsFor<T>(ref: Ref, rows: readonly Selected<T>[], refs: readonly Ref[]): readonly Selected<T>[] {
  if (ref.form === 'number') return rows
  const place = refs.filter(other => other.form === 'other').indexOf(ref)
  return rows.filter(row => row.matched[place])
}
