import { defineTool, guarded, mapOf, nullable, quoteValue, throwAll, ToolError, Type } from 'tasuki/plugin'
import {
  draftOf,
  itemRef,
  requireItem,
  requireItemUnchanged,
  writeItem,
  readWritten,
  writtenOutput,
} from '../../items/index.ts'
import { readFields } from '../field.repository.ts'
import { pickField, type FieldRow } from '../field.ts'
import { deleteValues, readValues, upsertValues } from '../value.repository.ts'

export const itemsSetCustomFields = defineTool({
  name: 'items_set_custom_fields',
  class: 'W',
  group: 'work_items',
  title: 'Set custom fields',
  summary: 'Sets or clears custom fields of one item.',
  rank: 400,
  input: {
    item_ref: itemRef(),
    custom_fields: guarded(
      mapOf(nullable(guarded(Type.String(), { maxLength: 4000 })), {
        description: 'field_key → text; null or empty clears.',
      }),
      { minProperties: 1, maxProperties: 100 },
    ),
  },
  output: writtenOutput,
  async run(ctx, { item_ref: ref, custom_fields: input }) {
    const item = await requireItem(ctx, ref, { write: true, lock: true })
    requireItemUnchanged(ctx, item)
    const wanted = resolve(Object.entries(input), await readFields(ctx, item.project), item.project)
    const ids = wanted.map(({ field }) => field.id)
    const before = await readValues(ctx, item, ids)
    const draft = draftOf(item)
    const changed = wanted.filter(({ field, value }) => (before.get(field.id) ?? null) !== value)
    for (const { field, value } of changed)
      draft.change(`custom_fields.${field.field_key}`, before.get(field.id) ?? null, value)
    const cleared = changed.filter(({ value }) => value === null).map(({ field }) => field.id)
    const set = changed.flatMap(({ field, value }) => (value === null ? [] : [{ field, value }]))
    if (cleared.length > 0) await deleteValues(ctx, item, cleared)
    if (set.length > 0)
      await upsertValues(
        ctx,
        set.map(({ field, value }) => ({ owner_id: item.ownerId, item_id: item.id, field_id: field.id, value })),
      )
    await writeItem(ctx, draft, { tool: 'items_patch', input: {} })
    return readWritten(ctx, draft)
  },
})

/** @throws ToolError for every unknown, inactive, required or repeated field of the call */
function resolve(
  input: readonly (readonly [string, string | null])[],
  fields: readonly FieldRow[],
  project: { readonly key: string },
) {
  const problems: ToolError[] = []
  const keys = new Map<FieldRow, string>()
  const wanted = input.flatMap(([key, text]) => {
    const value = text === '' ? null : text
    try {
      const field = pickField(fields, key, project, 'custom_fields')
      if (!field.is_active)
        throw new ToolError('not_found', `The custom field ${quoteValue(key)} of ${project.key} was deleted.`, {
          field: 'custom_fields',
          hint: 'Choose another field; project_custom_fields_update is_active=true brings this one back.',
        })
      if (value === null && field.is_required)
        throw new ToolError('invalid_argument', `The custom field ${key} is required and cannot be cleared.`, {
          field: 'custom_fields',
          hint: 'Give it another value.',
        })
      const other = keys.get(field)
      if (other !== undefined)
        throw new ToolError('invalid_argument', `${quoteValue(other)} and ${quoteValue(key)} name the same field.`, {
          field: 'custom_fields',
          hint: 'Name each field once.',
        })
      keys.set(field, key)
      return [{ field, value }]
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      problems.push(error)
      return []
    }
  })
  throwAll(problems)
  return wanted
}
