import { nullable, sql, Type } from 'tasuki/plugin'
import { itemFields, itemFilters, itemHas, itemPolicies } from '../items/points.ts'
import { featureColumn } from '../projects/index.ts'
import { moveVersions } from './item-moves.ts'
import { versionParam } from './item-versions.ts'
import { versionKey } from './names.ts'

/** The version `v` of the item `i`. */
const itsVersion = sql`
  from versions.item_versions iv join versions.versions v on v.owner_id = iv.owner_id and v.id = iv.version_id
  where iv.owner_id = i.owner_id and iv.item_id = i.id`

const any = sql<boolean>`exists (select from versions.item_versions iv where iv.owner_id = i.owner_id and iv.item_id = i.id)`

const fields = itemFields({
  when: 'include_agile',
  summary: 'version',
  fields: { version_id: nullable(Type.String()), version_name: nullable(Type.String()) },
  written: ['version_name'],
  sql: sql`select json_build_object('version_id', v.id, 'version_name', v.name) ${itsVersion}`,
})

const filter = itemFilters({
  key: 'version',
  type: 'name',
  nullable: true,
  summary: 'version name',
  example: 'version:"1.2"',
  sql: (_ctx, { values }) => {
    const keys = values.flatMap(value => (value.kind === 'name' ? [versionKey(value.text)] : []))
    const conditions = values.flatMap(({ kind }) =>
      kind === 'any' ? [any] : kind === 'none' ? [sql<boolean>`not ${any}`] : [],
    )
    if (keys.length > 0) conditions.push(sql`exists (select ${itsVersion} and v.name_key in (${sql.join(keys)}))`)
    return sql`(${sql.join(conditions, sql` or `)})`
  },
})

const policy = itemPolicies({
  name: 'version',
  sql: ctx => sql`jsonb_build_object('enabled', ${featureColumn(ctx, 'roadmap')})`,
})

/** Everything that versions add to items. */
export const onItems = [
  moveVersions,
  versionParam,
  fields,
  policy,
  filter,
  itemHas({ value: 'version', summary: 'a version', sql: () => any }),
]
