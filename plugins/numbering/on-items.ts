import { Type } from 'tasuki/plugin'
import { nameFilter } from '../items/index.ts'
import { itemFields, itemHas, itemRefs } from '../items/points.ts'
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

const filter = nameFilter(
  { key: 'series', summary: 'numbering series', example: 'series:invoice' },
  hasNumber,
  isInSeries,
)

export const onItems = [
  fields,
  refs,
  filter,
  itemHas({ value: 'custom_number', summary: 'in a numbering series', sql: () => hasNumber }),
]
