import { sql, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { bestMatch, isVersion } from './version.ts'

/** A version together with those of the call's items that are for it. */
export interface PlacedVersion {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly items: readonly string[]
  /** Found by the name that was asked for. */
  readonly named: boolean
}

/** Finds the versions of some items, those of a name in some projects, and all of a project, as far as asked for, in one statement. */
export async function findVersions(
  ctx: ReadContext,
  owners: readonly string[],
  {
    items = [],
    named,
    project,
  }: {
    readonly items?: readonly string[]
    readonly named?: { readonly projects: readonly string[]; readonly text: string }
    readonly project?: string
  },
): Promise<readonly PlacedVersion[]> {
  const of = sql.join([...new Set(owners)])
  const match = named
    ? sql`coalesce(v.project_id in (${sql.join(named.projects)}) and ${isVersion(named.text)}, false)`
    : sql`false`
  const links =
    items.length === 0
      ? sql`(select null::uuid as version_id, null::uuid as item_id where false)`
      : sql`(select o.version_id, o.item_id from versions.item_versions o where o.owner_id in (${of}) and o.item_id in (${sql.join(items)}))`
  const { rows } = await sql<PlacedVersion>`
    with links as ${links}
    select v.id, v.project_id as "projectId", v.name, ${match} as named,
      coalesce((select jsonb_agg(k.item_id) from links k where k.version_id = v.id), '[]') as items
    from versions.versions v
    where v.owner_id in (${of}) and (v.id in (select k.version_id from links k) or ${match} ${project === undefined ? sql`` : sql`or v.project_id = ${project}`})
    order by ${named ? bestMatch(named.text) : sql`v.id`}
  `.execute(ctx.db)
  return rows
}

/** Which version an item is for; null = none. */
export interface Placement {
  readonly ownerId: string
  readonly itemId: string
  readonly versionId: string | null
}

/** Puts items into versions, each in place of the one that it was in. */
export async function placeInVersions(ctx: WriteContext, placements: readonly Placement[]): Promise<void> {
  const json = JSON.stringify(
    placements.map(({ ownerId, itemId, versionId }) => ({ owner_id: ownerId, item_id: itemId, version_id: versionId })),
  )
  const given = sql`jsonb_to_recordset(${json}::jsonb) as m(owner_id uuid, item_id uuid, version_id uuid)`
  if (placements.some(placement => placement.versionId === null)) {
    await sql`
      delete from versions.item_versions iv using ${given}
      where iv.owner_id = m.owner_id and iv.item_id = m.item_id and m.version_id is null
    `.execute(ctx.db)
  }
  if (placements.every(placement => placement.versionId === null)) return
  await sql`
    insert into versions.item_versions (owner_id, item_id, version_id)
    select m.owner_id, m.item_id, m.version_id from ${given} where m.version_id is not null
    on conflict (owner_id, item_id) do update set version_id = excluded.version_id
  `.execute(ctx.db)
}
