import { anyOf, nameKey, Type } from 'tasuki/plugin'
import { presence } from '../items/index.ts'
import { itemFields, itemFilters, itemHas, itemRefs } from '../items/points.ts'
import { hasDisplayRef, hasNumber, isInSeries, numbersField } from './number.repository.ts'
import { itemNumber } from './number.ts'

const DISPLAY_REF = /^([A-Za-z][A-Za-z0-9_]*)-(\d{1,9})$/

const fields = itemFields({
  when: 'include_custom_numbers',
  summary: 'custom_numbers',
  fields: { custom_numbers: Type.Array(itemNumber) },
  sql: numbersField,
})

/** `PREFIX-12` names the item with that number in the owner's series. */
const refs = itemRefs({
  matches: text => DISPLAY_REF.test(text),
  sql(_ctx, text) {
    const [, prefix = '', digits] = DISPLAY_REF.exec(text)!
    return hasDisplayRef(prefix.toUpperCase(), Number(digits))
  },
})

const filter = itemFilters({
  key: 'series',
  type: 'name',
  nullable: true,
  summary: 'numbering series',
  example: 'series:invoice',
  sql: (_ctx, { values }) => {
    const keys = values.flatMap(value => (value.kind === 'name' ? [nameKey(value.text)] : []))
    const conditions = presence(values, hasNumber)
    return anyOf(keys.length > 0 ? [...conditions, isInSeries(keys)] : conditions)
  },
})

/** The contributions of numbering to items. */
export const onItems = [
  fields,
  refs,
  filter,
  itemHas({ value: 'custom_number', summary: 'in a numbering series', sql: () => hasNumber }),
]
