import { defineTool, quoteName, requireUnchanged, Type } from 'tasuki/plugin'
import { detachItems } from '../../items/index.ts'
import { projectKey, recordSettingChange } from '../../projects/index.ts'
import { versions } from '../placement.repository.ts'
import { deleteVersion, requireVersion } from '../version.repository.ts'
import { versionRef } from '../version.ts'

export const versionsDelete = defineTool({
  name: 'versions_delete',
  class: 'WD',
  title: 'Delete version',
  summary: 'Deletes a version; keeps its items.',
  rank: 980,
  gates: ['roadmap'],
  input: { project_key: projectKey('Project key.'), version: versionRef },
  output: { deleted: Type.Boolean(), id: Type.String(), name: Type.String(), items_unassigned: Type.Integer() },
  async run(ctx, { project_key, version: ref }) {
    const { project, version } = await requireVersion(ctx, project_key, ref)
    requireUnchanged(ctx, `The version ${quoteName(version.name)}`, version)
    const { id, name } = version
    const items_unassigned = await detachItems(ctx, versions, project, [{ id, path: name }])
    await deleteVersion(ctx, project, id)
    const change = { of: version, before: version, changed: ['status'] as const }
    await recordSettingChange(ctx, project, { kind: 'version.deleted', ...change })
    return { deleted: true, id, name, items_unassigned }
  },
})
