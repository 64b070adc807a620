import { nullable, sql, Type, type Static } from 'tasuki/plugin'

/** A number of an item as results show it; link-only memberships have none. */
export const itemNumber = Type.Object({
  series_key: Type.String(),
  display_ref: Type.Optional(Type.String()),
  number: nullable(Type.Integer()),
})
export type ItemNumber = Static<typeof itemNumber>

/** json array of numbers, to be selected `fromNumbersOfItem`; null when the item is in no series. */
export const numbersArray = sql`json_agg(case when nn.number is null then json_build_object('series_key', ns.key, 'number', null)
    else json_build_object('series_key', ns.key, 'display_ref', ns.prefix || '-' || nn.number, 'number', nn.number) end order by ns.key)`
export const fromNumbersOfItem = sql`
  from numbering.numbers nn join numbering.series ns on ns.owner_id = nn.owner_id and ns.id = nn.series_id
  where nn.owner_id = i.owner_id and nn.item_id = i.id`

export function toNumberJson(prefix: string, key: string, number: number | null): ItemNumber {
  return { series_key: key, ...(number !== null && { display_ref: `${prefix}-${number}` }), number }
}
