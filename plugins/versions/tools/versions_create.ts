import { choice, date, defineTool, Type } from 'tasuki/plugin'
import { projectKey, requireFeature, requireProject, recordSettingChange } from '../../projects/index.ts'
import { insertVersion } from '../version.repository.ts'
import { description, FIELDS, NAME_MAX, STATUSES, versionName, versionResult } from '../version.ts'

export const versionsCreate = defineTool({
  name: 'versions_create',
  class: 'W',
  title: 'Create version',
  summary: 'Creates a version (release, milestone) that items can be planned for.',
  rank: 790,
  gates: ['roadmap'],
  input: {
    project_key: projectKey('Project key.'),
    name: Type.String({ maxLength: NAME_MAX, description: 'Unique name.' }),
    description: Type.Optional(description('Markdown.')),
    target_date: Type.Optional(date('YYYY-MM-DD.', { clearable: true })),
    status: Type.Optional(choice(STATUSES, { default: 'planning', description: 'Status.' })),
  },
  output: versionResult,
  async run(ctx, { project_key, target_date, status = 'planning', ...input }) {
    const name = versionName(input.name)
    const project = await requireProject(ctx, project_key, { write: true })
    requireFeature(ctx, 'roadmap', project)
    const row = { name, description: input.description || null, target_date: target_date || null, status }
    const version = await insertVersion(ctx, project, row)
    const changed = FIELDS.filter(field => version[field] !== undefined)
    await recordSettingChange(ctx, project, { kind: 'version.created', of: version, after: version, changed })
    return { version, changed }
  },
})
