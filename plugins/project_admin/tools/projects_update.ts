import { choice, defineTool, nullable, reference, Type } from 'tasuki/plugin'
import { projectKey, requireProject, updateProject, type ProjectRow } from '../../projects/index.ts'
import { assignWorkflow, requireWorkflow } from '../../workflows/index.ts'
import { Project, projectResult } from '../result.ts'

export const projectsUpdate = defineTool({
  name: 'projects_update',
  class: 'W',
  title: 'Update project',
  summary:
    'Changes a project of yours; omitted parameters stay. With another workflow its items move to the corresponding states, listed in moved_states.',
  rank: 1120,
  input: {
    project_key: projectKey(),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 120, description: 'Name for people.' })),
    description: Type.Optional(
      nullable(Type.String({ maxLength: 2000 }), { description: 'What it is about; null or empty clears.' }),
    ),
    archived: Type.Optional(Type.Boolean({ description: 'True archives, false brings back.' })),
    workflow_id: Type.Optional(reference('Id or name.')),
    estimate_unit: Type.Optional(choice(['none', 'points', 'hours'], { description: 'Unit of estimates.' })),
  },
  output: {
    project: Project,
    changed: Type.Array(Type.String()),
    moved_states: Type.Optional(Type.Array(Type.Object({ from: Type.String(), to: Type.String() }))),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  async run(ctx, { project_key, name, description, archived, workflow_id, estimate_unit }) {
    const before = await requireProject(ctx, project_key, { owner: true })
    const workflow = workflow_id === undefined ? null : await requireWorkflow(ctx, workflow_id)
    const after = await updateProject(ctx, before, { name, description, archived, estimateUnit: estimate_unit })
    const assigned = workflow ? await assignWorkflow(ctx, before, workflow) : { changed: false, moves: [] }
    const moved = assigned.moves.map(({ from, to }) => ({ from: from.name, to: to.name }))
    const changed = [...listChangedFields(before, after), ...(assigned.changed ? ['workflow_id'] : [])]
    const units = [before.estimateUnit, after.estimateUnit]
    const counts = changed.includes('estimate_unit') && !units.includes('none')
    return {
      project: projectResult(after, changed.includes('description')),
      changed,
      ...(moved.length > 0 && { moved_states: moved }),
      ...(counts && { warnings: [`Estimates keep their numbers: what was in ${units.join(' is in ')} now.`] }),
    }
  },
})

function listChangedFields(before: ProjectRow, after: ProjectRow): string[] {
  const fields = {
    name: 'name',
    description: 'description',
    archived: 'archived',
    estimate_unit: 'estimateUnit',
  } as const
  return Object.entries(fields).flatMap(([field, column]) => (before[column] === after[column] ? [] : [field]))
}
