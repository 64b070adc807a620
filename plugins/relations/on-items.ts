import { anyOf, Type } from 'tasuki/plugin'
import { presenceFilter } from '../items/index.ts'
import { itemFields, itemFilters, itemHas, itemSections } from '../items/points.ts'
import { hasRelation, relatesTo, relationsField, relationsOfItem } from './relation.repository.ts'
import { relation } from './relation.ts'

const fields = itemFields({
  when: 'include_relations',
  summary: 'relations',
  fields: { relations: Type.Array(relation) },
  sql: relationsField,
})

const section = itemSections({ name: 'relations', schema: Type.Array(relation), sql: relationsOfItem })

const filter = itemFilters({
  key: 'relates',
  type: 'ref',
  nullable: true,
  summary: 'linked with an item',
  example: 'relates:APP#12',
  sql: ({ ctx }, { values }) =>
    anyOf([
      ...presenceFilter(values, hasRelation(ctx)),
      ...values.flatMap(value => (value.kind === 'ref' ? [relatesTo(ctx, value)] : [])),
    ]),
})

export const onItems = [
  fields,
  section,
  filter,
  itemHas({ value: 'relation', summary: 'a link to another item', sql: ({ ctx }) => hasRelation(ctx) }),
]
