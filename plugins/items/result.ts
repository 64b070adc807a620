import { Type, type TObject, type WriteContext } from 'tasuki/plugin'
import type { Draft } from './draft.ts'
import { readItemByKey, type Row } from './item-columns.repository.ts'
import type { Shape } from './item-shape.ts'
import { itemFields } from './points.ts'
import { itemFrom } from './read.ts'

const WRITTEN: Shape = { flags: 'written', detail: 'none' }

/** The output of tools that write one item: the current item and the changes. Kept short, since many tools repeat it. */
export const writtenOutput: TObject = Type.Object({
  item: Type.Object(
    { ref: Type.String(), title: Type.String() },
    { description: 'Without its body, as listings show it, with its place and updated_at.' },
  ),
  changed: Type.Array(Type.String()),
  warnings: Type.Optional(Type.Array(Type.String())),
})

export type Written = { item: Row; changed: string[]; warnings?: string[] }

/**
 * Reads the written item inside the transaction, in one statement: the fields of listings and the plugins' `written` fields, without the
 * body, which the caller knows or did not change. items_get reads the rest.
 */
export async function readWritten(ctx: WriteContext, draft: Draft): Promise<Written> {
  const item = itemFrom(ctx, WRITTEN, await readItemByKey(ctx, draft.ownerId, draft.id, WRITTEN))
  const changed = draft.changes.map(change => change.field)
  // Fields that this call cleared are shown as null, and lists as empty; other unset fields are left out.
  for (const field of changed) {
    const name = CLEARABLE[field]
    if (name !== undefined) item[name] ??= null
  }
  for (const { fields } of ctx.all(itemFields))
    for (const name of changed) if (fields[name]?.['type'] === 'array') item[name] ??= []
  if (draft.before?.completedAt && !draft.after.completedAt) item['completed_at'] = null
  const { ref, before, after } = draft
  const warnings = [...draft.warnings]
  // A caller who changes an archived item may not find it in listings afterwards.
  if (before?.archivedAt && after.archivedAt)
    warnings.push(`${ref} is archived: listings show it only with is:archived.`)
  return { item, changed, ...(warnings.length > 0 && { warnings }) }
}

/** Reads a new item; `changed` names the arguments that set something: null, empty texts and empty lists leave it as it starts. */
export async function readCreated(ctx: WriteContext, draft: Draft, input: object): Promise<Written> {
  const given = Object.entries(input).filter(([name, value]) => name !== 'project_key' && String(value ?? '') !== '')
  return { ...(await readWritten(ctx, draft)), changed: given.map(([name]) => name) }
}

/** Maps the field of a change to the field of the item. */
const CLEARABLE: Readonly<Record<string, string>> = {
  due_date: 'due_date',
  due_time: 'due_time',
  start_date: 'start_date',
  priority: 'priority',
  parent: 'parent_ref',
  archived_at: 'archived_at',
}
