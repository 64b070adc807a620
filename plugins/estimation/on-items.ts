import { anyOf, nullable, Type } from 'tasuki/plugin'
import { numberFilter, presenceFilter } from '../items/index.ts'
import { itemFields, itemFilters, itemHas, itemPolicies } from '../items/points.ts'
import { estimateField, estimatePolicy, hasEstimate, hasEstimateThat } from './estimate.repository.ts'
import { bulkEstimate } from './item-estimates.ts'
import { moveEstimates } from './item-moves.ts'

const field = itemFields({
  when: 'always',
  summary: 'estimate',
  fields: { estimate: nullable(Type.String()) },
  // Lists always include the field, so that a missing estimate differs from one that was not requested.
  nulls: 'listed',
  sql: estimateField,
})

const ofValue = numberFilter('e.value')

const filter = itemFilters({
  key: 'estimate',
  type: 'number',
  nullable: true,
  summary: 'in points or hours, as the project counts',
  example: 'estimate:>=5',
  sql: (ctx, term) => {
    const numbers = term.values.filter(value => value.kind === 'number')
    const conditions = presenceFilter(term.values, hasEstimate)
    if (numbers.length > 0) conditions.push(hasEstimateThat(ofValue(ctx, { ...term, values: numbers })))
    return anyOf(conditions)
  },
})

const policy = itemPolicies({ name: 'estimate', sql: estimatePolicy })

export const onItems = [
  moveEstimates,
  bulkEstimate,
  field,
  policy,
  filter,
  itemHas({ value: 'estimate', summary: 'an estimate', sql: () => hasEstimate }),
]
