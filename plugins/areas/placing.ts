import { sql, type RawBuilder, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { Named } from './pick.ts'

/** Joins the areas above `a`, as many as there can be; each by its key, whatever the planner knows of the table. */
export const above = sql`
  left join lateral (select x.* from areas.areas x where x.owner_id = a.owner_id and x.id = a.parent_id offset 0) b on true
  left join lateral (select x.* from areas.areas x where x.owner_id = b.owner_id and x.id = b.parent_id offset 0) c on true`

/** The path of `a`, with `above`. */
export const pathOf = sql<string>`concat_ws('/', c.name, b.name, a.name)`
/** The path of `a` as paths are compared. */
export const pathKeyOf = sql<string>`concat_ws('/', c.name_key, b.name_key, a.name_key)`

/** An area together with those of the call's items that are in it. */
export interface PlacedArea extends Named {
  readonly id: string
  readonly projectId: string
  readonly items: readonly string[]
}

/** Finds the areas of some items and those that meet a condition on `a`, in one statement. */
export async function findPlaces(
  ctx: ReadContext,
  owners: readonly string[],
  items: readonly string[],
  condition: RawBuilder<boolean> = sql`false`,
): Promise<readonly PlacedArea[]> {
  const of = sql.join([...new Set(owners)])
  const links =
    items.length === 0
      ? sql`(select null::uuid as area_id, null::uuid as item_id where false)`
      : sql`(select o.area_id, o.item_id from areas.item_areas o where o.owner_id in (${of}) and o.item_id in (${sql.join(items)}))`
  const { rows } = await sql<PlacedArea>`
    with links as ${links}
    select a.id, a.project_id as "projectId", ${pathOf} as path, ${pathKeyOf} as "pathKey",
      coalesce(a.archived_at, b.archived_at, c.archived_at) is not null as archived,
      coalesce((select jsonb_agg(k.item_id) from links k where k.area_id = a.id), '[]') as items
    from areas.areas a ${above}
    where a.owner_id in (${of}) and (a.id in (select k.area_id from links k) or ${condition})
    order by ${pathKeyOf} collate "C"
  `.execute(ctx.db)
  return rows
}

/** Where an item shall be; null = in no area. */
export interface Move {
  readonly ownerId: string
  readonly itemId: string
  readonly areaId: string | null
}

/** Places items. */
export async function placeItems(ctx: WriteContext, moves: readonly Move[]): Promise<void> {
  const json = JSON.stringify(
    moves.map(move => ({ owner_id: move.ownerId, item_id: move.itemId, area_id: move.areaId })),
  )
  const given = sql`jsonb_to_recordset(${json}::jsonb) as m(owner_id uuid, item_id uuid, area_id uuid)`
  if (moves.some(move => move.areaId === null)) {
    await sql`
      delete from areas.item_areas ia using ${given} where ia.owner_id = m.owner_id and ia.item_id = m.item_id and m.area_id is null
    `.execute(ctx.db)
  }
  if (moves.every(move => move.areaId === null)) return
  await sql`
    insert into areas.item_areas (owner_id, item_id, area_id)
    select m.owner_id, m.item_id, m.area_id from ${given} where m.area_id is not null
    on conflict (owner_id, item_id) do update set area_id = excluded.area_id
  `.execute(ctx.db)
}
