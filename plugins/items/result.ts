import { sql, Type, type All, type TObject, type WriteContext } from 'tasuki/plugin'
import type { Draft } from './draft.ts'
import { itemFrom, readItems, singleItem, type Row, type Shape } from './read.ts'

const WRITTEN: Shape = { flags: 'single', detail: 'snippet' }

/** The output of tools that write one item: the item as it is now, and what changed. */
export function writtenOutput(all: All): TObject {
  return Type.Object({
    item: singleItem(all),
    changed: Type.Array(Type.String()),
    warnings: Type.Optional(Type.Array(Type.String())),
  })
}

/** Reads the item back inside the transaction, with everything that plugins add to it, in one statement. */
export async function written(ctx: WriteContext, draft: Draft, warnings: readonly string[] = []): Promise<{ item: Row; changed: string[]; warnings?: string[] }> {
  const [row] = await readItems(ctx, sql<boolean>`i.owner_id = ${draft.ownerId} and i.id = ${draft.id}`, WRITTEN)
  const item = itemFrom(ctx, WRITTEN, row!.columns)
  const changed = draft.changes.map(change => change.field)
  for (const field of changed) if (!(field in item) && CLEARED.has(field)) item[field] = null
  return { item, changed, ...(warnings.length > 0 && { warnings: [...warnings] }) }
}

/** Fields whose absence after a change means that the call cleared them. */
const CLEARED = new Set(['due_date', 'due_time', 'start_date', 'priority', 'archived_at'])
