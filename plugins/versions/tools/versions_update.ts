import { choice, date, defineTool, nullable, quoteName, requireUnchanged, Type } from 'tasuki/plugin'
import { projectKey, recordSettingChange } from '../../projects/index.ts'
import { requireVersion, updateVersion } from '../version.repository.ts'
import { description, FIELDS, NAME_MAX, STATUSES, versionName, versionRef, versionResult } from '../version.ts'

export const versionsUpdate = defineTool({
  name: 'versions_update',
  class: 'W',
  title: 'Change version',
  summary: 'Changes a version; status released records released_at, any other clears it.',
  rank: 800,
  gates: ['roadmap'],
  input: {
    project_key: projectKey('Project key.'),
    version: versionRef,
    name: Type.Optional(Type.String({ maxLength: NAME_MAX, description: 'New name.' })),
    description: Type.Optional(nullable(description('null clears.'))),
    target_date: Type.Optional(nullable(date('YYYY-MM-DD; null clears.', { clearable: true }))),
    status: Type.Optional(choice(STATUSES, { description: 'New status.' })),
  },
  output: versionResult,
  async run(ctx, { project_key, version: ref, status, ...input }) {
    const name = input.name === undefined ? undefined : versionName(input.name)
    const { project, version } = await requireVersion(ctx, project_key, ref, { lockProject: name !== undefined })
    requireUnchanged(ctx, `The version ${quoteName(version.name)}`, version)
    // The first release time stays until the release is revoked.
    const releasedAt = status === 'released' ? (version.released_at ?? ctx.now.toISOString()) : null
    const wanted = {
      ...(name !== undefined && { name }),
      ...(input.description !== undefined && { description: input.description || null }),
      ...(input.target_date !== undefined && { target_date: input.target_date || null }),
      ...(status !== undefined && { status, released_at: releasedAt }),
    }
    const changed = FIELDS.filter(field => wanted[field] !== undefined && wanted[field] !== (version[field] ?? null))
    if (changed.length === 0) return { version, changed }
    const after = await updateVersion(ctx, project, version, wanted)
    await recordSettingChange(ctx, project, { kind: 'version.changed', of: version, before: version, after, changed })
    const cleared = Object.fromEntries(changed.filter(field => wanted[field] === null).map(field => [field, null]))
    return { version: { ...after, ...cleared }, changed }
  },
})
