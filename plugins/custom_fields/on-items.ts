import { contains, guarded, sql, Type, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { itemChecks, itemFields, itemFilters, itemGrepFields, itemHas } from '../items/points.ts'
import { ofSeenOwner } from '../projects/index.ts'
import { fieldValue, valuesOfItem } from './field.ts'
import { moveFields } from './item-moves.ts'

const fields = itemFields({
  when: 'include_custom_fields',
  summary: 'custom_fields',
  fields: { custom_fields: Type.Array(fieldValue) },
  written: ['custom_fields'],
  sql: valuesOfItem,
})

const any = sql<boolean>`exists (
  select from custom_fields.values v join custom_fields.fields f on f.owner_id = v.owner_id and f.id = v.field_id
  where v.owner_id = i.owner_id and v.item_id = i.id and f.is_active)`

/** `cf.<key>:text` looks for a part of the value. */
const filter = itemFilters({
  key: 'cf',
  family: true,
  type: 'text',
  nullable: true,
  summary: 'custom field contains',
  example: 'cf.customer:acme',
  sql: (_ctx, { name, values }) => {
    const has = (condition = sql<boolean>`true`) => sql<boolean>`exists (
      select from custom_fields.values v join custom_fields.fields f on f.owner_id = v.owner_id and f.id = v.field_id
      where v.owner_id = i.owner_id and v.item_id = i.id and f.is_active and f.field_key = ${name} and ${condition})`
    const each = values.map(value => {
      if (value.kind === 'any') return has()
      if (value.kind === 'none') return sql<boolean>`not ${has()}`
      return value.kind === 'text' ? has(sql<boolean>`v.value ilike ${contains(value.text)}`) : sql<boolean>`false`
    })
    return sql`(${sql.join(each, sql` or `)})`
  },
})

const keyParam = {
  custom_field_keys: Type.Array(guarded(Type.String(), { maxLength: 64 }), {
    maxItems: 50,
    description: 'Only these.',
  }),
}
const named = ({ custom_field_keys: keys }: { readonly custom_field_keys?: readonly string[] }) =>
  keys && keys.length > 0 ? sql`and f.field_key in (${sql.join(keys)})` : sql``

/** Ids of items with a value that meets a condition on the value `v` and its field `f`. */
function itemsWithValue(ctx: ReadContext, condition: RawBuilder<boolean>, input: object): RawBuilder<unknown> {
  return sql`
    select v.item_id from custom_fields.values v join custom_fields.fields f on f.owner_id = v.owner_id and f.id = v.field_id
    where ${ofSeenOwner(ctx, 'v')} and f.is_active ${named(input)} and ${condition}`
}

const values = itemGrepFields({
  name: 'custom.value',
  byDefault: true,
  params: keyParam,
  texts: (_ctx, input) => sql`select jsonb_agg(v.value order by f.field_key) from custom_fields.values v
    join custom_fields.fields f on f.owner_id = v.owner_id and f.id = v.field_id
    where v.owner_id = i.owner_id and v.item_id = i.id and f.is_active ${named(input)}`,
  candidates: (ctx, mayMatch, input) => itemsWithValue(ctx, mayMatch('v.value'), input),
})

const keys = itemGrepFields({
  name: 'custom.key',
  byDefault: false,
  texts: (_ctx, input) => sql`select jsonb_agg(f.field_key order by f.field_key) from custom_fields.values v
    join custom_fields.fields f on f.owner_id = v.owner_id and f.id = v.field_id
    where v.owner_id = i.owner_id and v.item_id = i.id and f.is_active ${named(input)}`,
  candidates: (ctx, mayMatch, input) => itemsWithValue(ctx, mayMatch('f.field_key'), input),
})

/** Warns of required fields that are empty when an item becomes done, which has no condition; one that is given up needs none. */
const required = itemChecks(async (ctx, drafts) => {
  const closing = drafts.filter(
    ({ before, after }) => before !== null && before.completedAt === null && after.completedAt !== null,
  )
  if (closing.length === 0) return
  const rows = closing.map(
    ({ ownerId, id, project, after }) =>
      sql`(${ownerId}::uuid, ${id}::uuid, ${project.id}::uuid, ${after.stateId}::uuid)`,
  )
  const { rows: missing } = await sql<{ item_id: string; keys: string[] }>`
    select c.item_id, jsonb_agg(f.field_key order by f.display_order, f.field_key) as keys
    from (values ${sql.join(rows)}) as c (owner_id, item_id, project_id, state_id)
    join workflows.states s on s.owner_id = c.owner_id and s.id = c.state_id and s.status_attribute = 'done'
    join custom_fields.fields f on f.owner_id = c.owner_id and f.project_id = c.project_id and f.is_active and f.is_required
    where not exists (select from custom_fields.values v where v.owner_id = c.owner_id and v.item_id = c.item_id and v.field_id = f.id)
    group by c.item_id
  `.execute(ctx.db)
  for (const { item_id: id, keys: fieldKeys } of missing) {
    const draft = closing.find(each => each.id === id)!
    draft.warnings.push(
      `${draft.ref} is done without ${fieldKeys.join(', ')}, which the project requires; items_set_custom_fields sets it.`,
    )
  }
})

/** Everything that custom fields add to items. */
export const onItems = [
  moveFields,
  fields,
  filter,
  values,
  keys,
  required,
  itemHas({ value: 'custom_field', summary: 'custom fields', sql: () => any }),
]
