import { nullable, sql, Type, type RawBuilder } from 'tasuki/plugin'
import { itemFields, itemFilters, itemHas, itemPolicies, type FilterTerm } from '../items/points.ts'
import { featureColumn } from '../projects/index.ts'
import { moveSprints } from './item-moves.ts'
import { sprintIdParam, sprintParam } from './item-sprints.ts'
import { pathKey } from './names.ts'
import { above, pathKeyOf, pathOf } from './rows.ts'

/** The sprint `sp` of the item `i`, with those above it. */
const itsSprint = sql`
  from sprints.item_sprints x join sprints.sprints sp on sp.owner_id = x.owner_id and sp.id = x.sprint_id ${above}
  where x.owner_id = i.owner_id and x.item_id = i.id`

const any = sql<boolean>`exists (select from sprints.item_sprints x where x.owner_id = i.owner_id and x.item_id = i.id)`

/** In the sprint of that path, in any sprint of that name, or below. */
function within(key: string): RawBuilder<boolean> {
  const inPath = sql<boolean>`starts_with(${pathKeyOf} || '/', ${`${key}/`})`
  return key.includes('/') ? inPath : sql`${key} in (sp.name_key, sb.name_key, sc.name_key)`
}

/** The planned sprint that comes first in its project. */
const isNext = sql<boolean>`sp.id = (
  select n.id from sprints.sprints n where n.owner_id = sp.owner_id and n.project_id = sp.project_id and n.status = 'planning'
    and not exists (select from sprints.sprints below where below.owner_id = n.owner_id and below.parent_id = n.id)
  order by n.start_date, n.display_order, n.id limit 1)`

function place(value: FilterTerm['values'][number]): RawBuilder<boolean>[] {
  if (value.kind === 'name') return [within(pathKey(value.text))]
  if (value.kind !== 'symbol') return []
  return [value.symbol === '@active' ? sql`sp.status = 'active'` : isNext]
}

const fields = itemFields({
  when: 'include_agile',
  summary: 'sprint',
  fields: {
    sprint_id: nullable(Type.String()),
    sprint_name: nullable(Type.String()),
    sprint_path: nullable(Type.String()),
  },
  written: ['sprint_path'],
  sql: sql`select json_build_object('sprint_id', sp.id, 'sprint_name', sp.name, 'sprint_path', ${pathOf}) ${itsSprint}`,
})

const filter = itemFilters({
  key: 'sprint',
  type: 'name',
  nullable: true,
  symbols: ['@active', '@next'],
  summary: 'sprint path or name, with all below',
  example: 'sprint:@active',
  sql: (_ctx, { values }) => {
    const places = values.flatMap(place)
    const conditions = values.flatMap(({ kind }) =>
      kind === 'any' ? [any] : kind === 'none' ? [sql<boolean>`not ${any}`] : [],
    )
    if (places.length > 0) conditions.push(sql`exists (select ${itsSprint} and (${sql.join(places, sql` or `)}))`)
    return sql`(${sql.join(conditions, sql` or `)})`
  },
})

const policy = itemPolicies({
  name: 'sprint',
  sql: ctx => sql`jsonb_build_object('enabled', ${featureColumn(ctx, 'sprints')})`,
})

/** Everything that sprints add to items. */
export const onItems = [
  moveSprints,
  sprintParam,
  sprintIdParam,
  fields,
  policy,
  filter,
  itemHas({ value: 'sprint', summary: 'a sprint', sql: () => any }),
]
