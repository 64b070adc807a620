import { choice, date, defineTool, throwAll, Type } from 'tasuki/plugin'
import { pathKey } from '../../items/index.ts'
import { projectKey, recordSettingChange } from '../../projects/index.ts'
import { NAME_MAX, pickSprint, sprintName } from '../placement.repository.ts'
import { readRecord } from '../sprint-record.repository.ts'
import { insertSprint, lockSprints } from '../sprint.repository.ts'
import { capacity, goal, sprintResult, STATUSES } from '../sprint.ts'
import { planProblems } from '../structure.ts'

const FIELDS = ['name', 'goal', 'start_date', 'end_date', 'capacity', 'status'] as const

export const sprintsCreate = defineTool({
  name: 'sprints_create',
  class: 'W',
  title: 'Create sprint',
  summary: 'Creates a sprint, also below a parent (3 levels).',
  rank: 370,
  gates: ['sprints'],
  input: {
    project_key: projectKey('Project key.'),
    name: Type.String({ maxLength: NAME_MAX, description: 'Name without "/".' }),
    parent: Type.Optional(Type.String({ description: 'Path.' })),
    goal: Type.Optional(goal('Goal.')),
    start_date: Type.Optional(date('First day, YYYY-MM-DD.', { clearable: true })),
    end_date: Type.Optional(date('Last day, YYYY-MM-DD.', { clearable: true })),
    capacity: Type.Optional(capacity('In estimate units.')),
    status: Type.Optional(choice(STATUSES, { default: 'planning', description: 'Status.' })),
  },
  output: sprintResult,
  async run(ctx, { project_key, parent: parentPath = '', status = 'planning', ...input }) {
    const name = sprintName(input.name)
    const { project, sprints } = await lockSprints(ctx, project_key)
    const options = { projectKey: project.key, field: 'parent' }
    const parent = pathKey(parentPath) === '' ? null : pickSprint(sprints, parentPath, options)
    const [startDate, endDate] = [input.start_date || null, input.end_date || null]
    throwAll(planProblems(sprints, { parent, name, status, startDate, endDate, sprint: null }))
    const sprint = await insertSprint(ctx, project, {
      name,
      parentId: parent?.id ?? null,
      goal: input.goal || null,
      startDate,
      endDate,
      capacity: input.capacity ?? null,
      status,
      displayOrder: Math.max(0, ...sprints.map(other => other.displayOrder)) + 1,
    })
    const record = await readRecord(ctx, sprint)
    const changed = FIELDS.filter(field => record[field] !== undefined)
    await recordSettingChange(ctx, project, {
      kind: 'sprint.created',
      of: { id: sprint.id, name: record.path },
      after: record,
      changed,
    })
    return {
      sprint: record,
      changed: parent ? [...changed, 'parent'] : changed,
      ...(status === 'closed' && {
        warnings: ['A sprint made closed has no velocity, and no items can be added to it.'],
      }),
    }
  },
})
