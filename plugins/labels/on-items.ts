import { Type } from 'tasuki/plugin'
import { nameFilter } from '../items/index.ts'
import { itemFields, itemGrepFields, itemHas, itemSomeday } from '../items/points.ts'
import { labelsEdit } from './item-edit.ts'
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

const filter = nameFilter(
  { key: 'label', summary: 'label name', example: 'label:bug,"needs review"' },
  hasLabel,
  hasLabelOf,
)

export const onItems = [
  newLabelsParam,
  moveLabels,
  labelsEdit,
  labelsParam,
  fields,
  filter,
  itemHas({ value: 'label', summary: 'any label', sql: () => hasLabel }),
  itemSomeday(() => hasLabelOf([SOMEDAY])),
  itemGrepFields({ name: 'labels', byDefault: true, texts: () => labelsText, candidates: itemsWithLabel }),
]
