import { choice, date, defineTool, sql, Type, uuid } from 'tasuki/plugin'
import { projectKey, requireFeature, requireProject, tellSetting } from '../../projects/index.ts'
import { NAME_MAX, versionKey, versionName } from '../names.ts'
import { description, nameTaken, STATUSES, versionRecord, versionResult, type VersionRecord } from '../version.ts'

const FIELDS = ['name', 'description', 'target_date', 'status', 'released_at'] as const

export const versionsCreate = defineTool({
  name: 'versions_create',
  class: 'W',
  title: 'Create version',
  summary: 'Creates a version (release, milestone) that items can be planned for.',
  rank: 790,
  gates: ['roadmap'],
  input: Type.Object(
    {
      project_key: projectKey('Project key.'),
      name: Type.String({ maxLength: NAME_MAX, description: 'Unique name.' }),
      description: Type.Optional(description('Markdown.')),
      target_date: Type.Optional(date('YYYY-MM-DD.', { clearable: true })),
      status: Type.Optional(choice(STATUSES, { default: 'planning', description: 'Status.' })),
    },
    { additionalProperties: false },
  ),
  output: versionResult,
  async run(ctx, { project_key, target_date, status = 'planning', ...input }) {
    const name = versionName(input.name)
    const project = await requireProject(ctx, project_key, { write: true })
    requireFeature(ctx, 'roadmap', project)
    const { rows } = await sql<{ version: VersionRecord }>`
      insert into versions.versions as v
        (owner_id, id, project_id, name, name_key, description, target_date, status, released_at, created_at, updated_at)
      values (${project.ownerId}, ${uuid()}, ${project.id}, ${name}, ${versionKey(name)}, ${input.description || null},
        ${target_date || null}, ${status}, ${status === 'released' ? ctx.now : null}, ${ctx.now}, ${ctx.now})
      on conflict (owner_id, project_id, name_key) do nothing returning ${versionRecord} as version
    `.execute(ctx.db)
    const version = rows[0]?.version
    if (!version) throw nameTaken(project, name)
    const changed = FIELDS.filter(field => version[field] !== undefined)
    await tellSetting(ctx, project, { kind: 'version.created', of: version, after: version, changed })
    return { version, changed }
  },
})
