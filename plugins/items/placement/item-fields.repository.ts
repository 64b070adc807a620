import { nullable, sql, Type, type Contribution, type RawBuilder, type TProperties } from 'tasuki/plugin'
import { featureColumn } from '../../projects/index.ts'
import { itemFields, itemFilters, itemHas, itemPolicies, type FilterTerm } from '../points.ts'
import type { Placement, PlaceRow } from './placement.ts'

/** What a placement shows of items: output fields, a filter key that finds what is below too, and a value of `has:`. */
export function placementFields<T extends PlaceRow>(placement: Placement<T>): Contribution[] {
  const { noun, aliases, feature, symbols, fields, filter, sql: parts } = placement
  const { ofItem, isPlaced } = parts
  const values = { id: sql.ref(`${aliases[0]}.id`), name: sql.ref(`${aliases[0]}.name`), path: parts.path }
  const pairs = Object.entries(fields).map(([field, value]) => sql`${sql.lit(field)}, ${values[value]}`)
  const properties: TProperties = Object.fromEntries(Object.keys(fields).map(name => [name, nullable(Type.String())]))
  return [
    itemFields({
      when: placement.include,
      summary: noun,
      fields: properties,
      written: [placement.writtenField],
      sql: sql`select json_build_object(${sql.join(pairs)}) ${ofItem}`,
    }),
    ...(feature === undefined
      ? []
      : [
          itemPolicies({
            name: noun,
            sql: ctx => sql`jsonb_build_object('enabled', ${featureColumn(ctx, feature)})`,
          }),
        ]),
    itemFilters({
      key: noun,
      type: 'name',
      nullable: true,
      ...filter,
      ...(symbols && { symbols: symbols.map(symbol => symbol.word) }),
      sql(_ctx, { values }) {
        const conditions = values.flatMap(({ kind }) =>
          kind === 'any' ? [isPlaced] : kind === 'none' ? [sql<boolean>`not ${isPlaced}`] : [],
        )
        const places = values.flatMap(value => conditionsOf(placement, value))
        if (places.length > 0) conditions.push(sql`exists (select ${ofItem} and (${sql.join(places, sql` or `)}))`)
        return sql`(${sql.join(conditions, sql` or `)})`
      },
    }),
    itemHas({ value: noun, summary: placement.hasSummary, sql: () => isPlaced }),
  ]
}

/** In the place of that path, in any place of that name, or below. */
function conditionsOf<T extends PlaceRow>(
  { levels, keyOf, symbols, sql: { keys, pathKey } }: Placement<T>,
  value: FilterTerm['values'][number],
): RawBuilder<boolean>[] {
  if (value.kind === 'symbol')
    return (symbols ?? []).flatMap(symbol => (symbol.word === value.symbol ? [symbol.sql] : []))
  if (value.kind !== 'name') return []
  const key = keyOf(value.text)
  const isPath = levels > 1 && key.includes('/')
  return [isPath ? sql`starts_with(${pathKey} || '/', ${`${key}/`})` : sql`${key} in (${keys})`]
}
