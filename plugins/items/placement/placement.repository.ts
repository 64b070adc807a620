import { allOf, compare, isIn, nameKey, noSql, recordset, sql, uuid } from 'tasuki/plugin'
import type { Condition, Expression, OwnedKey, RawBuilder, ReadContext, Row, WriteContext } from 'tasuki/plugin'
import { readWithProject, requireFeature, type ProjectDemand, type ProjectRow } from '../../projects/index.ts'
import { pathKey } from './names.ts'
import type { Placement, PlacementSpec, PlacementSql, PlaceMoves, PlaceRow } from './placement.ts'

/** Defines a kind of place and assembles the SQL parts of its statements once. */
export function definePlacement<T extends PlaceRow, D extends object = object>(
  spec: PlacementSpec<T>,
): Placement<T, D> {
  const levels = spec.aliases.length
  const complete = { ...spec, levels, order: spec.order ?? pathOf(spec.aliases, 'name_key', 'collate "C"') }
  return { ...complete, keyOf: levels > 1 ? pathKey : nameKey, sql: placementSql<T, D>(complete) }
}

function pathOf(aliases: readonly string[], column: string, collation = ''): RawBuilder<string> {
  const names = aliases.map(alias => `${alias}.${column}`)
  return sql.raw(`concat_ws('/', ${names.toReversed().join(', ')}) ${collation}`.trim())
}

function placementSql<T extends PlaceRow, D>(spec: PlacementSpec<T>): PlacementSql<T, D> {
  const { table, aliases, memberTable, column, columns, details } = spec
  const [own, ...above] = aliases
  // A lateral lookup by key per level: without table statistics, the planner would join all places with all others.
  const joins = above.map(
    (alias, n) => `left join lateral (select up.* from ${table} up
      where up.owner_id = ${aliases[n]}.owner_id and up.id = ${aliases[n]}.parent_id offset 0) ${alias} on true`,
  )
  const ancestors = sql.raw(joins.join(' '))
  const [path, key] = [pathOf(aliases, 'name'), pathOf(aliases, 'name_key')]
  const depth = `num_nonnulls(${aliases.map(alias => `${alias}.id`).join(', ')})`
  const base = sql`${sql.raw(`'ownerId', ${own}.owner_id, 'id', ${own}.id, 'projectId', ${own}.project_id, 'name', ${own}.name,
    'parentId', ${above.length > 0 ? `${own}.parent_id` : 'null'}, 'key', ${own}.name_key, 'depth', ${depth}`)},
    'path', ${path}, 'pathKey', ${key}`
  const object = <R>(...pairs: (Expression<unknown> | undefined)[]): RawBuilder<R> =>
    sql`jsonb_build_object(${sql.join(pairs.filter(pair => pair !== undefined))})`
  const ofItem = 'member.owner_id = i.owner_id and member.item_id = i.id'
  const fromItem = sql`from ${sql.raw(`${memberTable} member join ${table} ${own} on ${own}.owner_id = member.owner_id and ${own}.id = member.${column}`)}
      ${ancestors} where ${sql.raw(ofItem)}`
  return {
    ancestors,
    path,
    pathKey: key,
    keys: aliases.map(alias => sql.ref<string>(`${alias}.name_key`)),
    row: object(base, columns),
    ofProject: sql`(select jsonb_agg(${object(base, columns, details)} order by ${spec.order}) from ${sql.raw(`${table} ${own}`)} ${ancestors}
      where ${sql.raw(`${own}.owner_id = p.owner_id and ${own}.project_id = p.id`)})`,
    ofItem: fromItem,
    pathOfItem: sql`select ${path} ${fromItem}`,
    isPlaced: sql.raw(`exists (select from ${memberTable} member where ${ofItem})`),
  }
}

/** A place with the items of the call that are in it. */
export type FilledPlace<T> = T & { readonly items: readonly string[] }

/** Returns the place of an item among places that were read with its id. */
export function placeOf<T>(places: readonly FilledPlace<T>[], itemId: string): FilledPlace<T> | null {
  return places.find(place => place.items.includes(itemId)) ?? null
}

/** Finds the places of given items, and all places of given projects, of any owners, in one statement. */
export async function findPlaces<T extends PlaceRow>(
  ctx: ReadContext,
  { table, aliases: [own], memberTable, column, order, sql: { row, ancestors } }: Placement<T>,
  owners: readonly string[],
  { items = [], projects = [] }: { readonly items?: readonly string[]; readonly projects?: readonly string[] },
): Promise<readonly FilledPlace<T>[]> {
  const of = sql.join([...new Set(owners)])
  const [id, ownerId, projectId] = ['id', 'owner_id', 'project_id'].map(name => sql.ref(`${own}.${name}`))
  const { rows } = await sql<{ place: T; items: readonly string[] }>`
    with links as (
      select o.${sql.ref(column)} as place_id, o.item_id from ${sql.raw(memberTable)} o
      where o.owner_id in (${of}) and ${isIn('o.item_id', [...new Set(items)])})
    select ${row} as place, coalesce((select jsonb_agg(k.item_id) from links k where k.place_id = ${id}), '[]') as items
    from ${sql.raw(`${table} ${own}`)} ${ancestors}
    where ${ownerId} in (${of}) and (${id} in (select k.place_id from links k) or ${isIn(projectId!, [...new Set(projects)])})
    order by ${order}
  `.execute(ctx.db)
  return rows.map(({ place, items }) => ({ ...place, items }))
}

/**
 * Reads all places of a project, in one statement. `lock` adds a statement that blocks concurrent changes until the transaction ends.
 * @throws ToolError not_found, ambiguous_ref, forbidden, feature_disabled
 */
export async function readPlaces<T extends PlaceRow, D extends object>(
  ctx: ReadContext,
  { feature, sql: { ofProject } }: Placement<T, D>,
  key: string,
  demand: ProjectDemand = {},
): Promise<{ readonly project: ProjectRow; readonly places: readonly (T & D)[] }> {
  type Places = { readonly places: (T & D)[] | null }
  const column = (demand.lock ? sql.lit(null) : ofProject).as('places')
  const { places, ...project } = await readWithProject<Places>(ctx, key, column, demand)
  if (feature) requireFeature(ctx, feature, project)
  if (!demand.lock) return { project, places: places ?? [] }
  // A statement of its own: the one that waited for the lock still sees the places as of before the wait.
  const { rows } = await sql<Places>`
    select ${ofProject} as places from projects.projects p where p.owner_id = ${project.ownerId} and p.id = ${project.id}
  `.execute(ctx.db)
  return { project, places: rows[0]?.places ?? [] }
}

/** Moves items between places, in at most two statements plus those of `lock`. */
export async function placeItems<T extends PlaceRow>(ctx: WriteContext, placement: Placement<T>, moves: PlaceMoves<T>) {
  if (moves.length === 0) return
  await placement.lock?.(ctx, moves)
  const [table, column] = [sql.raw(placement.memberTable), sql.ref(placement.column)]
  const rows = moves.map(({ ownerId, itemId, to }) => ({
    owner_id: ownerId,
    item_id: itemId,
    place_id: to?.id ?? null,
  }))
  const rowset = recordset('m', { owner_id: 'uuid', item_id: 'uuid', place_id: 'uuid' }, rows)
  if (moves.some(move => move.to === null)) {
    await sql`
      delete from ${table} x using ${rowset} where x.owner_id = m.owner_id and x.item_id = m.item_id and m.place_id is null
    `.execute(ctx.db)
  }
  if (moves.every(move => move.to === null)) return
  await sql`
    insert into ${table} (owner_id, item_id, ${column})
    select m.owner_id, m.item_id, m.place_id from ${rowset} where m.place_id is not null
    on conflict (owner_id, item_id) do update set ${column} = excluded.${column}
  `.execute(ctx.db)
}

type DetachedItem = Pick<Row<'items.items'>, 'id' | 'number' | 'title'> & { readonly placeId: string }

/** Removes all items from places of one owner, in one statement. */
export async function emptyPlaces(
  ctx: WriteContext,
  { memberTable, column }: Pick<Placement, 'memberTable' | 'column'>,
  ownerId: string,
  ids: readonly string[],
): Promise<readonly DetachedItem[]> {
  const place = sql.ref(column)
  const { rows } = await sql<DetachedItem>`
    with detached as (
      delete from ${sql.raw(memberTable)} where owner_id = ${ownerId} and ${place} in (${sql.join(ids)})
      returning owner_id, item_id, ${place} as place_id
    )
    select i.id, i.number, i.title, d.place_id as "placeId"
    from detached d join items.items i on i.owner_id = d.owner_id and i.id = d.item_id
  `.execute(ctx.db)
  return rows
}

/**
 * Creates the missing places of a project for paths, in one statement per level.
 * @param paths names from the top level down, joined by slashes; names below the lowest level are ignored
 */
export async function createPlaces<T extends PlaceRow>(
  ctx: WriteContext,
  placement: Placement<T>,
  project: OwnedKey,
  paths: readonly string[],
): Promise<void> {
  const { levels } = placement
  const split = paths
    .map(path => (levels > 1 ? path.split('/') : [path]).map(name => name.trim()).filter(name => name !== ''))
    .filter(names => names.length <= levels)
  for (let level = 0; level < levels; level++) {
    const wanted = split.flatMap(names => {
      const [above, name] = [names.slice(0, level).map(nameKey).join('/'), names[level]]
      return name === undefined ? [] : [{ name, key: nameKey(name), above }]
    })
    const rows = [...new Map(wanted.map(place => [`${place.above}/${place.key}`, place])).values()]
    if (rows.length === 0) return
    await insertPlaces(ctx, placement, project, rows)
  }
}

async function insertPlaces<T extends PlaceRow>(
  ctx: WriteContext,
  { table, aliases: [own], levels, sql: { ancestors, pathKey: key } }: Placement<T>,
  { ownerId, id: projectId }: OwnedKey,
  rows: readonly { readonly name: string; readonly key: string; readonly above: string }[],
): Promise<void> {
  const types = { id: 'uuid', name: 'text', key: 'text', above: 'text', place: 'int' } as const
  const records = rows.map((row, n) => ({ ...row, id: uuid(), place: n + 1 }))
  const rowset = recordset('n', types, records)
  const isOfProject = (alias: string): Condition =>
    allOf([compare(`${alias}.owner_id`, '=', ownerId), compare(`${alias}.project_id`, '=', projectId)])
  // The previous statement created the parents.
  const inTree = {
    columns: sql.raw('parent_id, display_order,'),
    values: sql`up.id, n.place + coalesce((select max(x.display_order) from ${sql.raw(table)} x where ${isOfProject('x')}), 0),`,
    parents: sql`left join lateral (select ${sql.ref(`${own}.id`)} from ${sql.raw(`${table} ${own}`)} ${ancestors}
      where ${isOfProject(own)} and ${key} = n.above) up on true where n.above = '' or up.id is not null`,
  }
  const { columns, values, parents } = levels > 1 ? inTree : { columns: noSql, values: noSql, parents: noSql }
  await sql`
    insert into ${sql.raw(table)} (owner_id, id, project_id, name, name_key, ${columns} created_at, updated_at)
    select ${ownerId}::uuid, n.id, ${projectId}::uuid, n.name, n.key, ${values} ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
    from ${rowset} ${parents}
    on conflict do nothing
  `.execute(ctx.db)
}
