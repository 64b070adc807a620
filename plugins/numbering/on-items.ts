import { nameKey, sql, Type } from 'tasuki/plugin'
import { itemFields, itemFilters, itemHas, itemRefs } from '../items/points.ts'
import { fromNumbersOfItem, itemNumber, numbersArray } from './number.ts'

const DISPLAY_REF = /^([A-Za-z][A-Za-z0-9_]*)-(\d{1,9})$/

const any = sql<boolean>`exists (select from numbering.numbers nn where nn.owner_id = i.owner_id and nn.item_id = i.id)`

const fields = itemFields({
  when: 'include_custom_numbers',
  summary: 'custom_numbers',
  fields: { custom_numbers: Type.Array(itemNumber) },
  sql: sql`select json_build_object('custom_numbers', ${numbersArray}) ${fromNumbersOfItem}`,
})

/** `PREFIX-12` names the item with that number in the series of its owner. */
const refs = itemRefs({
  matches: text => DISPLAY_REF.test(text),
  sql(_ctx, text) {
    const [, prefix = '', digits] = DISPLAY_REF.exec(text)!
    return sql`exists (
      select from numbering.numbers nn join numbering.series ns on ns.owner_id = nn.owner_id and ns.id = nn.series_id
      where nn.owner_id = i.owner_id and nn.item_id = i.id and ns.prefix = ${prefix.toUpperCase()} and nn.number = ${Number(digits)})`
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
    const conditions = values.flatMap(({ kind }) =>
      kind === 'any' ? [any] : kind === 'none' ? [sql<boolean>`not ${any}`] : [],
    )
    if (keys.length > 0) {
      conditions.push(sql<boolean>`exists (
        select from numbering.numbers nn join numbering.series ns on ns.owner_id = nn.owner_id and ns.id = nn.series_id
        where nn.owner_id = i.owner_id and nn.item_id = i.id and ns.key in (${sql.join(keys)}))`)
    }
    return sql`(${sql.join(conditions, sql` or `)})`
  },
})

/** Everything that numbering adds to items. */
export const onItems = [
  fields,
  refs,
  filter,
  itemHas({ value: 'custom_number', summary: 'in a numbering series', sql: () => any }),
]
