import { nullable, Type, type Static } from 'tasuki/plugin'

/** A number of an item as tools return it; members without a number have none. */
export const itemNumber = Type.Object({
  series_key: Type.String(),
  display_ref: Type.Optional(Type.String()),
  number: nullable(Type.Integer()),
})
export type ItemNumber = Static<typeof itemNumber>

export function toNumberJson(prefix: string, key: string, number: number | null): ItemNumber {
  return { series_key: key, ...(number !== null && { display_ref: `${prefix}-${number}` }), number }
}
