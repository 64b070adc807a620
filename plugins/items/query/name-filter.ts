import { anyOf, nameKey, type Condition } from 'tasuki/plugin'
import { itemFilters, type ItemFilter } from '../points.ts'
import { presenceFilter } from './filter.repository.ts'

/**
 * Adds a filter by the names of what items have.
 * @param isSet condition that the item has one
 * @param isOneOf condition that it has one with one of these name keys
 */
export function nameFilter(
  head: Pick<ItemFilter, 'key' | 'summary' | 'example'>,
  isSet: Condition,
  isOneOf: (keys: readonly string[]) => Condition,
) {
  return itemFilters({
    ...head,
    type: 'name',
    nullable: true,
    sql(_ctx, { values }) {
      const keys = values.flatMap(value => (value.kind === 'name' ? [nameKey(value.text)] : []))
      return anyOf([...presenceFilter(values, isSet), ...(keys.length > 0 ? [isOneOf(keys)] : [])])
    },
  })
}
