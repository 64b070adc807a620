import { defineTool, requireUnchanged, sql, Type } from 'tasuki/plugin'
import { announce } from '../../items/index.ts'
import { projectKey, tellSetting } from '../../projects/index.ts'
import { requireVersion, versionRef } from '../version.ts'

export const versionsDelete = defineTool({
  name: 'versions_delete',
  class: 'WD',
  title: 'Delete version',
  summary: 'Deletes a version; keeps its items.',
  rank: 980,
  gates: ['roadmap'],
  input: Type.Object({ project_key: projectKey('Project key.'), version: versionRef }, { additionalProperties: false }),
  output: Type.Object({
    deleted: Type.Boolean(),
    id: Type.String(),
    name: Type.String(),
    items_unassigned: Type.Integer(),
  }),
  async run(ctx, { project_key, version: ref }) {
    const { project, version } = await requireVersion(ctx, project_key, ref)
    requireUnchanged(ctx, `The version ${version.name}`, version)
    const { id, name } = version
    const { rows } = await sql<{ id: string; number: number; title: string }>`
      with detached as (
        delete from versions.item_versions where owner_id = ${project.ownerId} and version_id = ${id} returning owner_id, item_id
      )
      select i.id, i.number, i.title from detached d join items.items i on i.owner_id = d.owner_id and i.id = d.item_id
    `.execute(ctx.db)
    await sql`delete from versions.versions where owner_id = ${project.ownerId} and id = ${id}`.execute(ctx.db)
    await announce(
      ctx,
      rows.map(item => ({
        ownerId: project.ownerId,
        itemId: item.id,
        projectId: project.id,
        ref: `${project.key}#${item.number}`,
        title: item.title,
        kind: 'item.version.changed',
        from: name,
        to: null,
      })),
    )
    await tellSetting(ctx, project, { kind: 'version.deleted', of: version, before: version, changed: ['status'] })
    return { deleted: true, id, name, items_unassigned: rows.length }
  },
})
