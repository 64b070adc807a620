import { anyOf, nameKey, Type } from 'tasuki/plugin'
import { presence } from '../items/index.ts'
import { itemFields, itemFilters, itemGrepFields, itemHas, itemSomeday } from '../items/points.ts'
import { hasLabel, hasLabelOf, itemsWithLabel, labelsField, labelsText } from './item-label.repository.ts'
import { labelsParam, newLabelsParam } from './item-labels.ts'
import { moveLabels } from './item-moves.ts'

/** The label that defers an undated item. */
const SOMEDAY = 'someday'

const fields = itemFields({
  when: 'always',
  summary: 'label names',
  fields: { labels: Type.Array(Type.String()) },
  sql: labelsField,
})

const filter = itemFilters({
  key: 'label',
  type: 'name',
  nullable: true,
  summary: 'label name',
  example: 'label:bug,"needs review"',
  sql: (_ctx, { values }) => {
    const keys = values.flatMap(value => (value.kind === 'name' ? [nameKey(value.text)] : []))
    const conditions = presence(values, hasLabel)
    if (keys.length > 0) conditions.push(hasLabelOf(keys))
    return anyOf(conditions)
  },
})

/** The contributions of labels to items. */
export const onItems = [
  newLabelsParam,
  moveLabels,
  labelsParam,
  fields,
  filter,
  itemHas({ value: 'label', summary: 'any label', sql: () => hasLabel }),
  itemSomeday(() => hasLabelOf([SOMEDAY])),
  itemGrepFields({
    name: 'labels',
    byDefault: true,
    texts: () => labelsText,
    candidates: itemsWithLabel,
  }),
]
