import { sql, Type, type RawBuilder } from 'tasuki/plugin'
import { itemFields, itemFilters, itemGrepFields, itemHas, itemSomeday } from '../items/points.ts'
import { ofSeenOwner } from '../projects/index.ts'
import { labelsParam, newLabelsParam } from './item-labels.ts'
import { moveLabels } from './item-moves.ts'
import { labelKey } from './names.ts'

/** The label that puts an undated item off. */
const SOMEDAY = 'someday'

/** Names of the labels of the item `i`; null when it has none. */
const namesOfItem = sql`jsonb_agg(l.name order by l.display_order, l.id)`
const ofItem = sql`
  from labels.item_labels il join labels.labels l on l.owner_id = il.owner_id and l.id = il.label_id
  where il.owner_id = i.owner_id and il.item_id = i.id`

const any = sql<boolean>`exists (select from labels.item_labels il where il.owner_id = i.owner_id and il.item_id = i.id)`

function carries(keys: readonly string[]): RawBuilder<boolean> {
  return sql`exists (
    select from labels.item_labels il join labels.labels l on l.owner_id = il.owner_id and l.id = il.label_id
    where il.owner_id = i.owner_id and il.item_id = i.id and l.name_key in (${sql.join(keys)}))`
}

const fields = itemFields({
  when: 'always',
  summary: 'label names',
  fields: { labels: Type.Array(Type.String()) },
  sql: sql`select json_build_object('labels', ${namesOfItem}) ${ofItem}`,
})

const filter = itemFilters({
  key: 'label',
  type: 'name',
  nullable: true,
  summary: 'label name',
  example: 'label:bug,"needs review"',
  sql: (_ctx, { values }) => {
    const keys = values.flatMap(value => (value.kind === 'name' ? [labelKey(value.text)] : []))
    const conditions = values.flatMap(({ kind }) =>
      kind === 'any' ? [any] : kind === 'none' ? [sql<boolean>`not ${any}`] : [],
    )
    if (keys.length > 0) conditions.push(carries(keys))
    return sql`(${sql.join(conditions, sql` or `)})`
  },
})

/** Everything that labels add to items. */
export const onItems = [
  newLabelsParam,
  moveLabels,
  labelsParam,
  fields,
  filter,
  itemHas({ value: 'label', summary: 'any label', sql: () => any }),
  itemSomeday(() => carries([SOMEDAY])),
  itemGrepFields({
    name: 'labels',
    byDefault: true,
    texts: () => sql`(select ${namesOfItem} ${ofItem})`,
    candidates: (ctx, mayMatch) => sql`
      select il.item_id from labels.labels l join labels.item_labels il on il.owner_id = l.owner_id and il.label_id = l.id
      where ${ofSeenOwner(ctx, 'l')} and ${mayMatch('l.name')}`,
  }),
]
