import {
  choice,
  guarded,
  iso,
  nullable,
  sql,
  ToolError,
  Type,
  type RawBuilder,
  type ReadContext,
  type Static,
} from 'tasuki/plugin'
import {
  keyIs,
  oneProject,
  projectColumns,
  requireFeature,
  type ProjectDemand,
  type ProjectRow,
} from '../projects/index.ts'
import { versionKey } from './names.ts'

export const STATUSES = ['planning', 'released', 'archived'] as const

/** A version as tools return it. */
export const versionSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.Optional(nullable(Type.String())),
  target_date: Type.Optional(nullable(Type.String())),
  status: choice(STATUSES),
  released_at: Type.Optional(nullable(Type.String())),
  item_count: Type.Integer(),
  done_count: Type.Integer({ description: 'Of them, closed.' }),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type VersionRecord = Static<typeof versionSchema>

/** What a write of a version returns. */
export const versionResult = Type.Object({ version: versionSchema, changed: Type.Array(Type.String()) })

export const versionRef = Type.String({ description: 'Version name.' })
export const description = (text: string) => guarded(Type.String({ description: text }), { maxLength: 32_000 })

/** The version `v` as one jsonb record. */
export const versionRecord: RawBuilder<VersionRecord> = sql`jsonb_strip_nulls((
  select jsonb_build_object('id', v.id, 'name', v.name, 'description', v.description, 'target_date', v.target_date, 'status', v.status,
    'released_at', ${iso('v.released_at')}, 'item_count', count(i.id)::int, 'done_count', count(i.completed_at)::int,
    'created_at', ${iso('v.created_at')}, 'updated_at', ${iso('v.updated_at')})
  from versions.item_versions iv join items.items i on i.owner_id = iv.owner_id and i.id = iv.item_id
  where iv.owner_id = v.owner_id and iv.version_id = v.id))`

/** Condition on `v` for a version as callers write it: an id, or a name in any case and width. */
export function isVersion(text: string): RawBuilder<boolean> {
  return sql`(v.id::text = ${text.trim().toLowerCase()} or v.name_key = ${versionKey(text)})`
}

/** An id wins over a name that looks like one. */
export function bestMatch(text: string): RawBuilder<boolean> {
  return sql`v.id::text = ${text.trim().toLowerCase()} desc`
}

export interface VersionDemand {
  /** Keeps others from renaming versions of the project until the transaction ends. */
  readonly lockProject?: boolean
}

/** Finds a version that the caller may change. @throws ToolError not_found, ambiguous_ref, forbidden, feature_disabled */
export async function requireVersion(
  ctx: ReadContext,
  key: string,
  text: string,
  { lockProject = false }: VersionDemand = {},
): Promise<{ readonly project: ProjectRow; readonly version: VersionRecord }> {
  const { rows } = await sql<ProjectRow & { readonly version: VersionRecord | null }>`
    select ${projectColumns(ctx, 'p')}, (
      select ${versionRecord} from versions.versions v
      where v.owner_id = p.owner_id and v.project_id = p.id and ${isVersion(text)} order by ${bestMatch(text)} limit 1
    ) as version
    from projects.projects p where ${keyIs(ctx, key)} limit 2 ${lockProject ? sql`for no key update of p` : sql``}
  `.execute(ctx.db)
  const { version, ...project } = await oneProject(ctx, rows, key, { write: true })
  requireFeature(ctx, 'roadmap', project)
  if (!version) throw await missingVersion(ctx, project, text)
  return { project, version }
}

/** The refusal of a version that is not there. */
export async function missingVersion(ctx: ReadContext, project: ProjectRow, text: string): Promise<ToolError> {
  const { rows } = await sql<{ name: string }>`
    select v.name from versions.versions v where v.owner_id = ${project.ownerId} and v.project_id = ${project.id}
    order by v.status <> 'planning', v.id desc limit 20
  `.execute(ctx.db)
  return new ToolError('not_found', `${project.key} has no version ${text}.`, {
    field: 'version',
    allowed: rows.map(row => row.name),
    hint: 'Give an existing name; versions_create makes a new version.',
  })
}

/** The refusal of a name that is taken. */
export function nameTaken(project: ProjectRow, name: string): ToolError {
  return new ToolError('conflict', `${project.key} has a version ${name} already.`, {
    field: 'name',
    hint: 'Use that version, change it with versions_update, or choose another name.',
  })
}

/**
 * The versions of a project: those in planning by target date, then released and archived ones, newest first. One statement, which also
 * tells an empty project from an unknown one.
 */
export async function listVersions(
  ctx: ReadContext,
  key: string,
  demand: ProjectDemand = {},
): Promise<VersionRecord[]> {
  const order = sql`array_position(array['planning', 'released', 'archived'], v.status),
    case when v.status = 'planning' then v.target_date end, v.released_at desc nulls last, v.id desc`
  const { rows } = await sql<ProjectRow & { readonly versions: VersionRecord[] | null }>`
    select ${projectColumns(ctx, 'p')}, (
      select jsonb_agg(t.version order by t.place) from (
        select ${versionRecord} as version, row_number() over (order by ${order}) as place from versions.versions v
        where v.owner_id = p.owner_id and v.project_id = p.id order by place limit 500) t
    ) as versions
    from projects.projects p where ${keyIs(ctx, key)} limit 2
  `.execute(ctx.db)
  const { versions, ...project } = await oneProject(ctx, rows, key, demand)
  requireFeature(ctx, 'roadmap', project)
  return versions ?? []
}
