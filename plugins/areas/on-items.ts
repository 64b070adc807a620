import { nullable, sql, Type, type RawBuilder } from 'tasuki/plugin'
import { itemFields, itemFilters, itemHas } from '../items/points.ts'
import { areaIdParam, areaPathParam } from './item-areas.ts'
import { moveAreas } from './item-moves.ts'
import { pathKey } from './names.ts'
import { above, pathKeyOf, pathOf } from './placing.ts'

/** The area `a` of the item `i`, with those above it. */
const itsArea = sql`
  from areas.item_areas ia join areas.areas a on a.owner_id = ia.owner_id and a.id = ia.area_id ${above}
  where ia.owner_id = i.owner_id and ia.item_id = i.id`

const any = sql<boolean>`exists (select from areas.item_areas ia where ia.owner_id = i.owner_id and ia.item_id = i.id)`

/** In the area of that path, in any area of that name, or below. */
function within(key: string): RawBuilder<boolean> {
  const inPath = sql<boolean>`starts_with(${pathKeyOf} || '/', ${`${key}/`})`
  return key.includes('/') ? inPath : sql`${key} in (a.name_key, b.name_key, c.name_key)`
}

const fields = itemFields({
  when: 'include_area',
  summary: 'area',
  fields: { area_id: nullable(Type.String()), area_path: nullable(Type.String()) },
  written: ['area_path'],
  sql: sql`select json_build_object('area_id', a.id, 'area_path', ${pathOf}) ${itsArea}`,
})

const filter = itemFilters({
  key: 'area',
  type: 'name',
  nullable: true,
  summary: 'area path or name, with all below',
  example: 'area:Backend/API',
  sql: (_ctx, { values }) => {
    const places = values.flatMap(value => (value.kind === 'name' ? [within(pathKey(value.text))] : []))
    const conditions = values.flatMap(({ kind }) =>
      kind === 'any' ? [any] : kind === 'none' ? [sql<boolean>`not ${any}`] : [],
    )
    if (places.length > 0) conditions.push(sql`exists (select ${itsArea} and (${sql.join(places, sql` or `)}))`)
    return sql`(${sql.join(conditions, sql` or `)})`
  },
})

/** Everything that areas add to items. */
export const onItems = [
  moveAreas,
  areaPathParam,
  areaIdParam,
  fields,
  filter,
  itemHas({ value: 'area', summary: 'any area', sql: () => any }),
]
