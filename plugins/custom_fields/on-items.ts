import { anyOf, guarded, Type } from 'tasuki/plugin'
import { presenceFilter } from '../items/index.ts'
import { itemChecks, itemFields, itemFilters, itemGrepFields, itemHas } from '../items/points.ts'
import { fieldValue } from './field.ts'
import { moveFields } from './item-moves.ts'
import { hasValue, hasValueOf, itemsWithValue, readMissing, textsOfItem, valuesOfItem } from './value.repository.ts'

const fields = itemFields({
  when: 'include_custom_fields',
  summary: 'custom_fields',
  fields: { custom_fields: Type.Array(fieldValue) },
  written: ['custom_fields'],
  sql: valuesOfItem,
})

/** `cf.<key>:text` matches a part of the value. */
const filter = itemFilters({
  key: 'cf',
  family: true,
  type: 'text',
  nullable: true,
  summary: 'custom field contains',
  example: 'cf.customer:acme',
  sql: (_ctx, { name, values }) =>
    anyOf([
      ...presenceFilter(values, hasValueOf(name)),
      ...values.flatMap(value => (value.kind === 'text' ? [hasValueOf(name, value.text)] : [])),
    ]),
})

const keyParam = {
  custom_field_keys: Type.Array(guarded(Type.String(), { maxLength: 64 }), {
    maxItems: 50,
    description: 'Only these.',
  }),
}
type KeyInput = { readonly custom_field_keys?: readonly string[] }

const values = itemGrepFields({
  name: 'custom.value',
  byDefault: true,
  params: keyParam,
  texts: (_ctx, { custom_field_keys: keys }: KeyInput) => textsOfItem('v.value', keys),
  candidates: (ctx, mayMatch, { custom_field_keys: keys }: KeyInput) => itemsWithValue(ctx, 'v.value', mayMatch, keys),
})

const keys = itemGrepFields({
  name: 'custom.key',
  byDefault: false,
  texts: (_ctx, input: KeyInput) => textsOfItem('f.field_key', input.custom_field_keys),
  candidates: (ctx, mayMatch, input: KeyInput) => itemsWithValue(ctx, 'f.field_key', mayMatch, input.custom_field_keys),
})

/** Warns about empty required fields when an item is done. Dropped items need none. */
const required = itemChecks(async (ctx, drafts) => {
  const closing = drafts.filter(
    ({ before, after }) => before !== null && before.completedAt === null && after.completedAt !== null,
  )
  if (closing.length === 0) return
  for (const { item_id: id, keys: fieldKeys } of await readMissing(ctx, closing)) {
    const draft = closing.find(each => each.id === id)!
    draft.warnings.push(
      `${draft.ref} is done without ${fieldKeys.join(', ')}, which the project requires; items_set_custom_fields sets it.`,
    )
  }
})

export const onItems = [
  moveFields,
  fields,
  filter,
  values,
  keys,
  required,
  itemHas({ value: 'custom_field', summary: 'custom fields', sql: () => hasValue }),
]
