import { choice, date, defineTool, nullable, quoteName, throwAll, ToolError, Type } from 'tasuki/plugin'
import { pathKey } from '../../items/index.ts'
import { projectKey, recordSettingChange } from '../../projects/index.ts'
import { sprintClosed } from '../pick.ts'
import { NAME_MAX, pickSprint, sprintName } from '../placement.repository.ts'
import { type SprintRow, capacity, goal, requireUnchangedSprint, sprintRef, sprintResult, STATUSES } from '../sprint.ts'
import { readRecord } from '../sprint-record.repository.ts'
import { lockSprints, updateSprint } from '../sprint.repository.ts'
import { planProblems } from '../structure.ts'

/** Result fields that the call can change, with their property names. */
const FIELDS = {
  name: 'name',
  parent: 'parentId',
  goal: 'goal',
  start_date: 'startDate',
  end_date: 'endDate',
  capacity: 'capacity',
  status: 'status',
} as const satisfies Record<string, keyof SprintRow>
type Field = keyof typeof FIELDS

export const sprintsUpdate = defineTool({
  name: 'sprints_update',
  class: 'W',
  title: 'Change sprint',
  summary: 'Changes a sprint, starts it (active) or takes it back to planning. To close it use sprints_close.',
  rank: 380,
  gates: ['sprints'],
  input: {
    project_key: projectKey('Project key.'),
    sprint: sprintRef(),
    name: Type.Optional(Type.String({ maxLength: NAME_MAX, description: 'New name.' })),
    parent: Type.Optional(nullable(Type.String({ description: 'null = top level.' }))),
    goal: Type.Optional(nullable(goal('null clears.'))),
    start_date: Type.Optional(nullable(date('YYYY-MM-DD; null clears.', { clearable: true }))),
    end_date: Type.Optional(nullable(date('YYYY-MM-DD; null clears.', { clearable: true }))),
    capacity: Type.Optional(nullable(capacity('null clears.'))),
    status: Type.Optional(choice(STATUSES, { description: 'Not closed.' })),
  },
  output: sprintResult,
  async run(ctx, { project_key, sprint: ref, ...input }) {
    const name = input.name === undefined ? undefined : sprintName(input.name)
    const { project, sprints } = await lockSprints(ctx, project_key)
    const sprint = pickSprint(sprints, ref, { projectKey: project.key, field: 'sprint' })
    if (sprint.status === 'closed')
      throw sprintClosed(sprint, 'sprint', 'Notes can still be written with sprints_note_set.')
    if (input.status === 'closed') throw closeToolError(sprint)
    requireUnchangedSprint(ctx, sprint)
    const status = input.status ?? sprint.status
    const after: SprintRow = {
      ...sprint,
      name: name ?? sprint.name,
      parentId: input.parent === undefined ? sprint.parentId : idOf(sprints, input.parent ?? '', project.key),
      goal: input.goal === undefined ? sprint.goal : input.goal || null,
      startDate: input.start_date === undefined ? sprint.startDate : input.start_date || null,
      endDate: input.end_date === undefined ? sprint.endDate : input.end_date || null,
      capacity: input.capacity === undefined ? sprint.capacity : input.capacity,
      status,
    }
    const parent = sprints.find(other => other.id === after.parentId) ?? null
    throwAll(planProblems(sprints, { ...after, parent, sprint }))
    const changed = (Object.keys(FIELDS) as Field[]).filter(field => after[FIELDS[field]] !== sprint[FIELDS[field]])
    if (changed.length > 0) await updateSprint(ctx, after)
    const cleared = changed.filter(field => field !== 'parent' && after[FIELDS[field]] === null)
    const record = await readRecord(ctx, sprint)
    await recordSettingChange(ctx, project, {
      kind: 'sprint.changed',
      of: { id: sprint.id, name: sprint.path },
      before: Object.fromEntries(changed.map(field => [field, sprint[FIELDS[field]]])),
      after: Object.fromEntries(changed.map(field => [field, after[FIELDS[field]]])),
      changed,
    })
    return { sprint: { ...record, ...Object.fromEntries(cleared.map(field => [field, null])) }, changed }
  },
})

function idOf(sprints: readonly SprintRow[], path: string, projectKey: string): string | null {
  return pathKey(path) === '' ? null : pickSprint(sprints, path, { projectKey, field: 'parent' }).id
}

function closeToolError({ path }: SprintRow): ToolError {
  return new ToolError('invalid_argument', `sprints_update does not close ${quoteName(path)}.`, {
    field: 'status',
    allowed: ['planning', 'active'],
    hint: 'Use sprints_close, which decides what becomes of unfinished items, or sprints_handoff to start the next sprint too.',
  })
}
