import { deleteWhere, idIs, isFreeName, iso, nameKey, sql, uuid, withNameKey } from 'tasuki/plugin'
import type { RawBuilder, ReadContext, RowChanges, ToolError, WriteContext } from 'tasuki/plugin'
import { findPlaces, notFoundError } from '../items/index.ts'
import { readWithProject, requireFeature, type ProjectRow } from '../projects/index.ts'
import { versions } from './placement.repository.ts'
import { nameTaken, type VersionRecord } from './version.ts'

/** The version `v` as one jsonb record. */
const versionRecord: RawBuilder<VersionRecord> = sql`jsonb_strip_nulls((
  select jsonb_build_object('id', v.id, 'name', v.name, 'description', v.description, 'target_date', v.target_date, 'status', v.status,
    'released_at', ${iso('v.released_at')}, 'item_count', count(i.id)::int, 'done_count', count(i.completed_at)::int,
    'created_at', ${iso('v.created_at')}, 'updated_at', ${iso('v.updated_at')})
  from versions.item_versions iv join items.items i on i.owner_id = iv.owner_id and i.id = iv.item_id
  where iv.owner_id = v.owner_id and iv.version_id = v.id))`

/**
 * Finds a version that the caller may change, by id or name.
 * @param lockProject blocks renames of versions in the project until the transaction ends
 * @throws ToolError not_found, ambiguous_ref, forbidden, feature_disabled
 */
export async function requireVersion(
  ctx: ReadContext,
  key: string,
  text: string,
  { lockProject = false }: { readonly lockProject?: boolean } = {},
): Promise<{ readonly project: ProjectRow; readonly version: VersionRecord }> {
  const isNamed = idIs('v.id', nameKey(text))
  const { version, ...project } = await readWithProject<{ readonly version: VersionRecord | null }>(
    ctx,
    key,
    sql`(select ${versionRecord} from versions.versions v
      where v.owner_id = p.owner_id and v.project_id = p.id and (${isNamed} or v.name_key = ${nameKey(text)})
      order by ${isNamed} desc limit 1) as version`,
    { write: true, lock: lockProject ? 'no key update' : undefined },
  )
  requireFeature(ctx, 'roadmap', project)
  if (version) return { project, version }
  const places = await findPlaces(ctx, versions, [project.ownerId], { projects: [project.id] })
  const names = places.slice(0, versions.mostAllowed).map(({ path }) => path)
  throw notFoundError(versions, names, text, { projectKey: project.key, field: 'version' })
}

/** Creates the error for a name that another version has. */
async function conflictOf(ctx: ReadContext, project: ProjectRow, name: string): Promise<ToolError> {
  const places = await findPlaces(ctx, versions, [project.ownerId], { projects: [project.id] })
  // It may have been deleted or renamed since.
  return nameTaken(project, places.find(({ key }) => key === nameKey(name)) ?? { name })
}

/**
 * Lists the versions of a project: planned ones by target date, then released and archived ones, newest first. One statement, which also
 * distinguishes an empty project from an unknown one.
 */
export async function listVersions(ctx: ReadContext, key: string): Promise<VersionRecord[]> {
  const order = sql`array_position(array['planning', 'released', 'archived'], v.status),
    case when v.status = 'planning' then v.target_date end, v.released_at desc nulls last, v.id desc`
  const { found, ...project } = await readWithProject<{ readonly found: VersionRecord[] | null }>(
    ctx,
    key,
    sql`(select jsonb_agg(t.version order by t.place) from (
        select ${versionRecord} as version, row_number() over (order by ${order}) as place from versions.versions v
        where v.owner_id = p.owner_id and v.project_id = p.id order by place limit 500) t) as found`,
  )
  requireFeature(ctx, 'roadmap', project)
  return found ?? []
}

type NewVersion = Pick<VersionRecord, 'name' | 'status'> & {
  readonly description: string | null
  readonly target_date: string | null
}

/** Creates a version. @throws ToolError conflict if the name exists */
export async function insertVersion(
  ctx: WriteContext,
  project: ProjectRow,
  { name, description, target_date, status }: NewVersion,
): Promise<VersionRecord> {
  const { rows } = await sql<{ version: VersionRecord }>`
    insert into versions.versions as v
      (owner_id, id, project_id, name, name_key, description, target_date, status, released_at, created_at, updated_at)
    values (${project.ownerId}, ${uuid()}, ${project.id}, ${name}, ${nameKey(name)}, ${description},
      ${target_date}, ${status}, ${status === 'released' ? ctx.now : null}, ${ctx.now}, ${ctx.now})
    on conflict (owner_id, project_id, name_key) do nothing returning ${versionRecord} as version
  `.execute(ctx.db)
  if (!rows[0]) throw await conflictOf(ctx, project, name)
  return rows[0].version
}

/**
 * Updates only the changed columns, so that concurrent changes of different fields do not overwrite each other.
 * @throws ToolError conflict if the name exists
 */
export async function updateVersion(
  ctx: WriteContext,
  project: ProjectRow,
  version: VersionRecord,
  changes: RowChanges<'versions.versions'>,
): Promise<VersionRecord> {
  const row = await ctx.db
    .updateTable('versions.versions as v')
    .set({ ...withNameKey(changes), updated_at: ctx.now })
    .where(({ and }) => and({ 'v.owner_id': project.ownerId, 'v.id': version.id }))
    .where(isFreeName('versions.versions', 'v', ['owner_id', 'project_id'], nameKey(changes.name ?? version.name)))
    .returning(versionRecord.as('version'))
    .executeTakeFirst()
  if (!row) throw await conflictOf(ctx, project, changes.name ?? version.name)
  return row.version
}

export async function deleteVersion(ctx: WriteContext, { ownerId }: ProjectRow, id: string): Promise<void> {
  await deleteWhere(ctx.db, 'versions.versions', { owner_id: ownerId, id })
}
