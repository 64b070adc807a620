import { defineTool, sql, ToolError, Type } from 'tasuki/plugin'
import { announce } from '../../items/index.ts'
import { projectKey, tellSetting } from '../../projects/index.ts'
import { pickSprint } from '../pick.ts'
import { childrenOf, lockSprints } from '../rows.ts'
import { sprintRef } from '../sprint.ts'
import { checkFresh } from '../structure.ts'

export const sprintsDelete = defineTool({
  name: 'sprints_delete',
  class: 'WD',
  title: 'Delete sprint',
  summary: 'Deletes a sprint; keeps its items. To end it use sprints_close.',
  rank: 990,
  gates: ['sprints'],
  input: Type.Object({ project_key: projectKey('Project key.'), sprint: sprintRef() }, { additionalProperties: false }),
  output: Type.Object({
    deleted: Type.Boolean(),
    id: Type.String(),
    path: Type.String(),
    items_unassigned: Type.Integer(),
  }),
  async run(ctx, { project_key, sprint: text }) {
    const { project, sprints } = await lockSprints(ctx, project_key)
    const sprint = pickSprint(sprints, text, { projectKey: project.key, field: 'sprint' })
    checkFresh(ctx, sprint)
    const { id, path } = sprint
    const children = childrenOf(sprints, id)
    if (children.length > 0) {
      throw new ToolError('has_children', `${path} has ${children.length} sprints below it.`, {
        field: 'sprint',
        hint: 'Delete them first, or move them with sprints_update parent.',
        details: { children: children.slice(0, 20).map(child => child.path), count: children.length },
      })
    }
    const { rows } = await sql<{ id: string; number: number; title: string }>`
      with detached as (
        delete from sprints.item_sprints where owner_id = ${project.ownerId} and sprint_id = ${id} returning owner_id, item_id
      )
      select i.id, i.number, i.title from detached d join items.items i on i.owner_id = d.owner_id and i.id = d.item_id
    `.execute(ctx.db)
    await sql`delete from sprints.sprints where owner_id = ${project.ownerId} and id = ${id}`.execute(ctx.db)
    const changes = rows.map(item => ({
      ownerId: project.ownerId,
      itemId: item.id,
      projectId: project.id,
      ref: `${project.key}#${item.number}`,
      title: item.title,
      kind: 'item.sprint.changed',
      from: path,
      to: null,
    }))
    await announce(ctx, changes)
    await tellSetting(ctx, project, { kind: 'sprint.deleted', of: { id, name: path }, before: {} })
    return { deleted: true, id, path, items_unassigned: rows.length }
  },
})
