import { sql, type RawBuilder, type ReadContext, type WriteContext } from 'tasuki/plugin'
import {
  keyIs,
  oneProject,
  projectColumns,
  requireFeature,
  type ProjectDemand,
  type ProjectRow,
} from '../../projects/index.ts'
import type { Placement, PlaceMove, PlaceRow, PlacementTables } from './placement.ts'

/** Parts of statements about places, by the aliases of their placement. */
export interface PlacementSql<T, D> {
  /** Joins the places above. */
  readonly ancestors: RawBuilder<unknown>
  /** A place and those above. */
  readonly from: RawBuilder<unknown>
  readonly path: RawBuilder<string>
  readonly pathKey: RawBuilder<string>
  /** Name keys of a place and of those above. */
  readonly keys: RawBuilder<string>
  /** A place as one jsonb value. */
  readonly row: RawBuilder<T>
  /** All places of the project `p` as a jsonb array. */
  readonly ofProject: RawBuilder<(T & D)[] | null>
  /** From the item `i` to its place and those above, ending in a condition. */
  readonly ofItem: RawBuilder<unknown>
  /** The item `i` is in a place. */
  readonly isPlaced: RawBuilder<boolean>
}

export function placementSql<T, D>(tables: PlacementTables): PlacementSql<T, D> {
  const { table, aliases, memberTable, column } = tables
  const [own, ...above] = aliases
  const each = (name: string): string =>
    aliases
      .map(alias => `${alias}.${name}`)
      .toReversed()
      .join(', ')
  // Each is looked up by its key: while a table has no statistics, the planner would compare all places with all others.
  const joins = above.map(
    (alias, n) => `left join lateral (select up.* from ${table} up
      where up.owner_id = ${aliases[n]}.owner_id and up.id = ${aliases[n]}.parent_id offset 0) ${alias} on true`,
  )
  const ancestors = sql.raw(joins.join(' '))
  const from = sql`${sql.raw(`${table} ${own}`)} ${ancestors}`
  const path = sql.raw<string>(`concat_ws('/', ${each('name')})`)
  const pathKey = sql.raw<string>(`concat_ws('/', ${each('name_key')})`)
  const pairs = [
    sql`${sql.raw(`'ownerId', ${own}.owner_id, 'id', ${own}.id, 'projectId', ${own}.project_id, 'name', ${own}.name, 'key', ${own}.name_key,
      'parentId', ${above.length > 0 ? `${own}.parent_id` : 'null'}, 'depth', num_nonnulls(${each('id')})`)},
      'path', ${path}, 'pathKey', ${pathKey}`,
    ...(tables.columns ? [tables.columns] : []),
  ]
  const object = (parts: readonly RawBuilder<unknown>[]) => sql`jsonb_build_object(${sql.join(parts)})`
  const order = tables.order ?? sql`${pathKey} collate "C"`
  return {
    ancestors,
    from,
    path,
    pathKey,
    keys: sql.raw(each('name_key')),
    row: object(pairs) as RawBuilder<T>,
    ofProject: sql`(select jsonb_agg(${object(tables.details ? [...pairs, tables.details] : pairs)} order by ${order})
      from ${from} where ${sql.raw(`${own}.owner_id = p.owner_id and ${own}.project_id = p.id`)})`,
    ofItem: sql`from ${sql.raw(`${memberTable} member join ${table} ${own} on ${own}.owner_id = member.owner_id and ${own}.id = member.${column}`)}
      ${ancestors} where member.owner_id = i.owner_id and member.item_id = i.id`,
    isPlaced: sql`exists (select from ${sql.raw(memberTable)} member where member.owner_id = i.owner_id and member.item_id = i.id)`,
  }
}

/** A place together with those of the call's items that are in it. */
export type FilledPlace<T> = T & { readonly items: readonly string[] }

/** Finds the places of some items, and all places of some projects, in one statement. */
export async function findPlaces<T extends PlaceRow>(
  ctx: ReadContext,
  { aliases: [own], memberTable, column, order, sql: parts }: Placement<T>,
  owners: readonly string[],
  { items = [], projects = [] }: { readonly items?: readonly string[]; readonly projects?: readonly string[] },
): Promise<readonly FilledPlace<T>[]> {
  const of = sql.join([...new Set(owners)])
  const links =
    items.length === 0
      ? sql`select null::uuid as place_id, null::uuid as item_id where false`
      : sql`select o.${sql.ref(column)} as place_id, o.item_id from ${sql.raw(memberTable)} o
          where o.owner_id in (${of}) and o.item_id in (${sql.join(items)})`
  const inProjects =
    projects.length === 0 ? sql`false` : sql`${sql.ref(`${own}.project_id`)} in (${sql.join([...new Set(projects)])})`
  const id = sql.ref(`${own}.id`)
  const { rows } = await sql<{ place: T; items: readonly string[] }>`
    with links as (${links})
    select ${parts.row} as place, coalesce((select jsonb_agg(k.item_id) from links k where k.place_id = ${id}), '[]') as items
    from ${parts.from}
    where ${sql.ref(`${own}.owner_id`)} in (${of}) and (${id} in (select k.place_id from links k) or ${inProjects})
    order by ${order ?? sql`${parts.pathKey} collate "C"`}
  `.execute(ctx.db)
  return rows.map(({ place, items }) => ({ ...place, items }))
}

export interface ProjectPlaces<T> {
  readonly project: ProjectRow
  readonly places: readonly T[]
}

/** Reads all places of a project, in one statement. @throws ToolError not_found, ambiguous_ref, forbidden, feature_disabled */
export async function readPlaces<T extends PlaceRow, D extends object>(
  ctx: ReadContext,
  { feature, sql: { ofProject } }: Placement<T, D>,
  key: string,
  demand: ProjectDemand = {},
): Promise<ProjectPlaces<T & D>> {
  const { rows } = await sql<ProjectRow & { readonly places: (T & D)[] | null }>`
    select ${projectColumns(ctx, 'p')}, ${ofProject} as places from projects.projects p where ${keyIs(ctx, key)} limit 2
  `.execute(ctx.db)
  const { places, ...project } = await oneProject(ctx, rows, key, demand)
  if (feature) requireFeature(ctx, feature, project)
  return { project, places: places ?? [] }
}

/** Reads all places of a project to change them; others who want to wait until the transaction ends. @throws as `readPlaces` */
export async function lockPlaces<T extends PlaceRow, D extends object>(
  ctx: WriteContext,
  { feature, sql: { ofProject } }: Placement<T, D>,
  key: string,
): Promise<ProjectPlaces<T & D>> {
  const locked = await sql<ProjectRow>`
    select ${projectColumns(ctx, 'p')} from projects.projects p where ${keyIs(ctx, key)} limit 2 for no key update of p
  `.execute(ctx.db)
  const project = await oneProject(ctx, locked.rows, key, { write: true })
  if (feature) requireFeature(ctx, feature, project)
  // A statement of its own: one that waited for the lock would still see the places as they were before it waited.
  const { rows } = await sql<{ places: (T & D)[] | null }>`
    select ${ofProject} as places from projects.projects p where p.owner_id = ${project.ownerId} and p.id = ${project.id}
  `.execute(ctx.db)
  return { project, places: rows[0]?.places ?? [] }
}

/** Moves items between places, in two statements at most. */
export async function placeItems<T extends PlaceRow>(
  ctx: WriteContext,
  placement: Placement<T>,
  moves: readonly PlaceMove<T>[],
): Promise<void> {
  if (moves.length === 0) return
  await placement.lock?.(ctx, moves)
  const table = sql.raw(placement.memberTable)
  const column = sql.ref(placement.column)
  const json = JSON.stringify(
    moves.map(({ ownerId, itemId, to }) => ({ owner_id: ownerId, item_id: itemId, place_id: to?.id ?? null })),
  )
  const given = sql`jsonb_to_recordset(${json}::jsonb) as m (owner_id uuid, item_id uuid, place_id uuid)`
  if (moves.some(move => move.to === null)) {
    await sql`
      delete from ${table} x using ${given} where x.owner_id = m.owner_id and x.item_id = m.item_id and m.place_id is null
    `.execute(ctx.db)
  }
  if (moves.every(move => move.to === null)) return
  await sql`
    insert into ${table} (owner_id, item_id, ${column})
    select m.owner_id, m.item_id, m.place_id from ${given} where m.place_id is not null
    on conflict (owner_id, item_id) do update set ${column} = excluded.${column}
  `.execute(ctx.db)
}

/** An item that was taken out of a place. */
export interface DetachedItem {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly placeId: string
}

/** Takes all items out of places of one owner, in one statement. */
export async function emptyPlaces(
  ctx: WriteContext,
  { memberTable, column }: Pick<PlacementTables, 'memberTable' | 'column'>,
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
