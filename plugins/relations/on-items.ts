import { sql, Type, type RawBuilder } from 'tasuki/plugin'
import { ownerMeant } from '../items/index.ts'
import { itemFields, itemFilters, itemHas, itemSections } from '../items/points.ts'
import { fromRelationsOfItem, relation, relationsArray } from './relation.ts'

const any = sql<boolean>`exists (
  select from relations.relations r where r.owner_id = i.owner_id and (r.source_id = i.id or r.target_id = i.id))`

const fields = itemFields({
  when: 'include_relations',
  summary: 'relations',
  fields: { relations: Type.Array(relation) },
  sql: ctx => sql`select json_build_object('relations', ${relationsArray(ctx)}) ${fromRelationsOfItem(ctx)}`,
})

const section = itemSections({
  name: 'relations',
  schema: Type.Array(relation),
  sql: ctx => sql`select ${relationsArray(ctx)} ${fromRelationsOfItem(ctx)}`,
})

const filter = itemFilters({
  key: 'relates',
  type: 'ref',
  nullable: true,
  summary: 'linked with an item',
  example: 'relates:APP#12',
  sql: ({ ctx }, { values }) => {
    const each = values.map((value): RawBuilder<boolean> => {
      if (value.kind === 'any') return any
      if (value.kind === 'none') return sql`not ${any}`
      if (value.kind !== 'ref') return sql`false`
      return sql`exists (
        select from relations.relations r join items.items o on o.owner_id = r.owner_id and o.id in (r.source_id, r.target_id)
          join projects.projects op on op.owner_id = o.owner_id and op.id = o.project_id
        where r.owner_id = i.owner_id and i.id in (r.source_id, r.target_id) and o.id <> i.id and o.number = ${value.number}
          and ${ownerMeant(ctx, 'o', value)} and ${value.project === null ? sql`true` : sql`op.key = ${value.project}`})`
    })
    return sql`(${sql.join(each, sql` or `)})`
  },
})

/** Everything that relations add to items. */
export const onItems = [
  fields,
  section,
  filter,
  itemHas({ value: 'relation', summary: 'a link to another item', sql: () => any }),
]
