import { nullable, sql, Type } from 'tasuki/plugin'
import { numberFilter } from '../items/index.ts'
import { itemFields, itemFilters, itemHas, itemPolicies } from '../items/points.ts'
import { featureColumn } from '../projects/index.ts'
import { bulkEstimate } from './item-estimates.ts'
import { moveEstimates } from './item-moves.ts'

const any = sql<boolean>`exists (select from estimation.estimates e where e.owner_id = i.owner_id and e.item_id = i.id)`

const field = itemFields({
  when: 'always',
  summary: 'estimate',
  fields: { estimate: nullable(Type.String()) },
  // A listing always has it, so that what is not estimated can be told from what was not asked for.
  nulls: 'listed',
  sql: sql`json_build_object('estimate', (select trim_scale(e.value)::text from estimation.estimates e
    where e.owner_id = i.owner_id and e.item_id = i.id))`,
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
    const conditions = term.values.flatMap(({ kind }) =>
      kind === 'any' ? [any] : kind === 'none' ? [sql<boolean>`not ${any}`] : [],
    )
    if (numbers.length > 0) {
      conditions.push(sql`exists (select from estimation.estimates e
        where e.owner_id = i.owner_id and e.item_id = i.id and ${ofValue(ctx, { ...term, values: numbers })})`)
    }
    return sql`(${sql.join(conditions, sql` or `)})`
  },
})

const policy = itemPolicies({
  name: 'estimate',
  sql: ctx => sql`jsonb_build_object('enabled', ${featureColumn(ctx, 'estimation')}, 'unit', p.estimate_unit)`,
})

/** Everything that estimates add to items. */
export const onItems = [
  moveEstimates,
  bulkEstimate,
  field,
  policy,
  filter,
  itemHas({ value: 'estimate', summary: 'an estimate', sql: () => any }),
]
