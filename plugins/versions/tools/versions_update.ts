import {
  choice,
  date,
  defineTool,
  nullable,
  type ReadContext,
  requireUnchanged,
  sql,
  Type,
  type WriteContext,
} from 'tasuki/plugin'
import { projectKey, type ProjectRow, tellSetting } from '../../projects/index.ts'
import { NAME_MAX, versionKey, versionName } from '../names.ts'
import {
  description,
  nameTaken,
  requireVersion,
  STATUSES,
  versionRecord,
  versionRef,
  versionResult,
  type VersionRecord,
} from '../version.ts'

const FIELDS = ['name', 'description', 'target_date', 'status', 'released_at'] as const
type Changes = Partial<Record<(typeof FIELDS)[number], string | null>>

export const versionsUpdate = defineTool({
  name: 'versions_update',
  class: 'W',
  title: 'Change version',
  summary: 'Changes a version; status released records released_at, any other clears it.',
  rank: 800,
  gates: ['roadmap'],
  input: Type.Object(
    {
      project_key: projectKey('Project key.'),
      version: versionRef,
      name: Type.Optional(Type.String({ maxLength: NAME_MAX, description: 'New name.' })),
      description: Type.Optional(nullable(description('null clears.'))),
      target_date: Type.Optional(nullable(date('YYYY-MM-DD; null clears.', { clearable: true }))),
      status: Type.Optional(choice(STATUSES, { description: 'New status.' })),
    },
    { additionalProperties: false },
  ),
  output: versionResult,
  async run(ctx, { project_key, version: ref, status, ...input }) {
    const name = input.name === undefined ? undefined : versionName(input.name)
    const { project, version } = await requireVersion(ctx, project_key, ref, { lockProject: name !== undefined })
    requireUnchanged(ctx, `The version ${version.name}`, version)
    const wanted: Changes = {
      ...(name !== undefined && { name }),
      ...(input.description !== undefined && { description: input.description || null }),
      ...(input.target_date !== undefined && { target_date: input.target_date || null }),
      ...(status !== undefined && { status, released_at: releasedAt(ctx, version, status) }),
    }
    const changed = FIELDS.filter(field => wanted[field] !== undefined && wanted[field] !== (version[field] ?? null))
    if (changed.length === 0) return { version, changed }
    const after = await update(ctx, project, version, wanted)
    await tellSetting(ctx, project, { kind: 'version.changed', of: version, before: version, after, changed })
    const cleared = Object.fromEntries(changed.filter(field => wanted[field] === null).map(field => [field, null]))
    return { version: { ...after, ...cleared }, changed }
  },
})

/** The first release counts, until the version is taken back. */
function releasedAt(ctx: ReadContext, { released_at: before }: VersionRecord, status: string): string | null {
  return status === 'released' ? (before ?? ctx.now.toISOString()) : null
}

/** Writes only what changes, so that two callers who change different fields do not undo each other. */
async function update(
  ctx: WriteContext,
  project: ProjectRow,
  version: VersionRecord,
  changes: Changes,
): Promise<VersionRecord> {
  const { name } = changes
  const sets = [sql`updated_at = ${ctx.now}`]
  if (name != null) sets.push(sql`name = ${name}, name_key = ${versionKey(name)}`)
  if (changes.description !== undefined) sets.push(sql`description = ${changes.description}`)
  if (changes.target_date !== undefined) sets.push(sql`target_date = ${changes.target_date}::date`)
  if (changes.status != null)
    sets.push(sql`status = ${changes.status}, released_at = ${changes.released_at}::timestamptz`)
  const { rows } = await sql<{ version: VersionRecord }>`
    update versions.versions v set ${sql.join(sets)}
    where v.owner_id = ${project.ownerId} and v.id = ${version.id} and not exists (
      select from versions.versions o where o.owner_id = v.owner_id and o.project_id = v.project_id
        and o.name_key = ${versionKey(name ?? version.name)} and o.id <> v.id)
    returning ${versionRecord} as version
  `.execute(ctx.db)
  const after = rows[0]?.version
  if (!after) throw nameTaken(project, name ?? version.name)
  return after
}
