import { anyOf, compare, exists, nullable, sql, Type } from 'tasuki/plugin'
import type { Condition, Contribution, ReadContext } from 'tasuki/plugin'
import { featureColumn } from '../../projects/index.ts'
import { itemFields, itemFilters, itemHas, itemPolicies, type FilterTerm } from '../points.ts'
import { presenceFilter } from '../query/filter.repository.ts'
import type { Placement, PlaceRow } from './placement.ts'

/** Returns the output fields of a placement, a filter key that includes the levels below, and a value of `has:`. */
export function placementFields<T extends PlaceRow>(placement: Placement<T>): Contribution[] {
  const { noun, aliases, feature, fields, writtenField, sql: parts } = placement
  const values = { id: sql.ref(`${aliases[0]}.id`), name: sql.ref(`${aliases[0]}.name`), path: parts.path }
  const pairs = Object.entries(fields).flatMap(([field, value]) => [sql.lit(field), values[value]])
  const shown = itemFields({
    when: placement.include,
    summary: noun,
    fields: Object.fromEntries(Object.keys(fields).map(field => [field, nullable(Type.String())])),
    written: [writtenField],
    sql: sql`select json_build_object(${sql.join(pairs)}) ${parts.ofItem}`,
  })
  const has = itemHas({ value: noun, summary: placement.hasSummary, sql: () => parts.isPlaced })
  const enabled = (ctx: ReadContext) => sql`jsonb_build_object('enabled', ${featureColumn(ctx, feature!)})`
  const policies = feature === undefined ? [] : [itemPolicies({ name: noun, sql: enabled })]
  return [shown, ...policies, placementFilter(placement), has]
}

function placementFilter<T extends PlaceRow>(placement: Placement<T>): Contribution {
  const { noun, filter, symbols } = placement
  const { ofItem, isPlaced } = placement.sql
  return itemFilters({
    key: noun,
    type: 'name',
    nullable: true,
    ...filter,
    ...(symbols && { symbols: symbols.map(({ word }) => word) }),
    sql(_ctx, { values }) {
      const conditions = presenceFilter(values, isPlaced)
      const places = values.flatMap(value => placeConditions(placement, value))
      if (places.length > 0) conditions.push(exists(sql`${ofItem} and ${anyOf(places)}`))
      return anyOf(conditions)
    },
  })
}

/** Returns the condition for items in the place with that path, in any place with that name, or below. */
function placeConditions<T extends PlaceRow>(
  { levels, keyOf, symbols = [], sql: { keys, pathKey } }: Placement<T>,
  value: FilterTerm['values'][number],
): Condition[] {
  if (value.kind === 'symbol') return symbols.filter(({ word }) => word === value.symbol).map(each => each.sql)
  if (value.kind !== 'name') return []
  const key = keyOf(value.text)
  const isPath = levels > 1 && key.includes('/')
  if (!isPath) return [compare(sql.val(key), 'in', keys)]
  return [anyOf([compare(pathKey, '=', key), compare(pathKey, '^@', `${key}/`)])]
}
