import { defineTool, formatCount, quoteName, ToolError, Type } from 'tasuki/plugin'
import { childrenOf, detachItems } from '../../items/index.ts'
import { projectKey, recordSettingChange } from '../../projects/index.ts'
import { pickSprint, sprints as placement } from '../placement.repository.ts'
import { deleteSprint, lockSprints } from '../sprint.repository.ts'
import { requireUnchangedSprint, sprintRef } from '../sprint.ts'

export const sprintsDelete = defineTool({
  name: 'sprints_delete',
  class: 'WD',
  title: 'Delete sprint',
  summary: 'Deletes a sprint; keeps its items. To end it use sprints_close.',
  rank: 990,
  gates: ['sprints'],
  input: { project_key: projectKey('Project key.'), sprint: sprintRef() },
  output: { deleted: Type.Boolean(), id: Type.String(), path: Type.String(), items_unassigned: Type.Integer() },
  async run(ctx, { project_key, sprint: text }) {
    const { project, sprints } = await lockSprints(ctx, project_key)
    const sprint = pickSprint(sprints, text, { projectKey: project.key, field: 'sprint' })
    requireUnchangedSprint(ctx, sprint)
    const { id, path } = sprint
    const children = childrenOf(sprints, id)
    if (children.length > 0)
      throw new ToolError(
        'has_children',
        `${quoteName(path)} has ${formatCount(children.length, 'sprint')} below it.`,
        {
          field: 'sprint',
          hint: 'Delete them first, or move them with sprints_update parent.',
          details: { children: children.slice(0, 20).map(child => child.path), count: children.length },
        },
      )
    const items_unassigned = await detachItems(ctx, placement, project, [sprint])
    await deleteSprint(ctx, sprint)
    await recordSettingChange(ctx, project, { kind: 'sprint.deleted', of: { id, name: path }, before: {} })
    return { deleted: true, id, path, items_unassigned }
  },
})
