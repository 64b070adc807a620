import { choice, date, defineTool, sql, throwAll, Type, uuid } from 'tasuki/plugin'
import { projectKey, tellSetting } from '../../projects/index.ts'
import { NAME_MAX, pathKey, sprintKey, sprintName } from '../names.ts'
import { pickSprint } from '../pick.ts'
import { lockSprints } from '../rows.ts'
import { capacity, goal, readRecord, sprintResult, STATUSES } from '../sprint.ts'
import { planProblems } from '../structure.ts'

const FIELDS = ['name', 'goal', 'start_date', 'end_date', 'capacity', 'status'] as const

export const sprintsCreate = defineTool({
  name: 'sprints_create',
  class: 'W',
  title: 'Create sprint',
  summary: 'Creates a sprint, at the top level or below a parent (3 levels).',
  rank: 370,
  gates: ['sprints'],
  input: Type.Object(
    {
      project_key: projectKey('Project key.'),
      name: Type.String({ maxLength: NAME_MAX, description: 'Name without "/".' }),
      parent: Type.Optional(Type.String({ description: 'Path.' })),
      goal: Type.Optional(goal('Goal.')),
      start_date: Type.Optional(date('First day, YYYY-MM-DD.', { clearable: true })),
      end_date: Type.Optional(date('Last day, YYYY-MM-DD.', { clearable: true })),
      capacity: Type.Optional(capacity('In estimate units.')),
      status: Type.Optional(choice(STATUSES, { default: 'planning', description: 'Status.' })),
    },
    { additionalProperties: false },
  ),
  output: sprintResult,
  async run(ctx, { project_key, parent: parentPath = '', status = 'planning', ...input }) {
    const name = sprintName(input.name)
    const { project, sprints } = await lockSprints(ctx, project_key)
    const named = { projectKey: project.key, field: 'parent' }
    const parent = pathKey(parentPath) === '' ? null : pickSprint(sprints, parentPath, named)
    const [startDate, endDate] = [input.start_date || null, input.end_date || null]
    throwAll(planProblems(sprints, { parent, name, status, startDate, endDate, sprint: null }))
    const sprint = { ownerId: project.ownerId, id: uuid() }
    const order = Math.max(0, ...sprints.map(other => other.displayOrder)) + 1
    await sql`
      insert into sprints.sprints (owner_id, id, project_id, parent_id, name, name_key, goal, start_date, end_date, capacity, status,
        display_order, started_at, closed_at, created_at, updated_at)
      values (${project.ownerId}, ${sprint.id}, ${project.id}, ${parent?.id ?? null}, ${name}, ${sprintKey(name)}, ${input.goal || null},
        ${startDate}::date, ${endDate}::date, ${input.capacity ?? null}, ${status}, ${order}, ${status === 'active' ? ctx.now : null},
        ${status === 'closed' ? ctx.now : null}, ${ctx.now}, ${ctx.now})
    `.execute(ctx.db)
    const record = await readRecord(ctx, sprint)
    const changed = FIELDS.filter(field => record[field] !== undefined)
    await tellSetting(ctx, project, {
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
