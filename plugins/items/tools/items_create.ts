import { date, sql, time, ToolError, Type, defineTool, widen, type WriteContext } from 'tasuki/plugin'
import { checkRole, keyIs, oneProject, projectColumns, projectKey, type ProjectRow } from '../../projects/index.ts'
import { defaultState, projectWorkflow } from '../../workflows/index.ts'
import { applyDue, detail, priority, title } from '../write-params.ts'
import { newDraft } from '../drafting.ts'
import { requireKind } from '../kinds.ts'
import { requireParent } from '../parents.ts'
import { contributedParams } from '../points.ts'
import { writtenOutput, written } from '../result.ts'
import { writeItem } from '../write.ts'

const Input = Type.Object(
  {
    project_key: projectKey(),
    title,
    detail: Type.Optional(detail()),
    due_date: Type.Optional(date('Due date.', { clearable: true })),
    due_time: Type.Optional(time('Due time HH:MM; needs due_date.', { clearable: true })),
    start_date: Type.Optional(date('Start date.', { clearable: true })),
    priority: Type.Optional(priority),
    kind: Type.Optional(Type.String({ maxLength: 40, default: 'task', examples: ['epic', 'story', 'task', 'bug', 'chore'], description: 'epic, story, task, bug, chore or a custom kind.' })),
    parent: Type.Optional(Type.String({ maxLength: 300, description: 'Parent item, KEY#n; its placement is inherited.' })),
  },
  { additionalProperties: false },
)

export const itemsCreate = defineTool({
  name: 'items_create',
  class: 'W',
  title: 'Create item',
  summary: 'Creates a task in a project. Use notes_create for notes. With a parent, placement that is not given is inherited. Returns the item.',
  rank: 110,
  input: all => widen(Input, contributedParams(all, 'items_create')),
  output: writtenOutput,
  async run(ctx, input) {
    const place = await openPlace(ctx, input.project_key)
    if (input.kind !== undefined) await requireKind(ctx, place, input.kind)
    const parent = input.parent ? await requireParent(ctx, input.parent, place.ownerId) : null
    const draft = newDraft(ctx, {
      project: place,
      number: place.number,
      workflowId: place.workflowId,
      parent,
      values: {
        type: 'task',
        title: input.title,
        detail: input.detail ?? '',
        dueDate: null,
        dueTime: null,
        startDate: input.start_date || null,
        priority: input.priority ?? null,
        kind: input.kind ?? 'task',
        parentId: parent?.id ?? null,
        stateId: place.stateId,
        archivedAt: null,
        completedAt: null,
      },
    })
    applyDue(draft, input.due_date, input.due_time)
    await writeItem(ctx, draft, { tool: 'items_create', input })
    return { ...(await written(ctx, draft)), changed: Object.keys(input).filter(name => name !== 'project_key') }
  },
})

interface Place extends ProjectRow {
  readonly number: number
  readonly stateId: string
  readonly workflowId: string
}

/** Finds the project, its initial state and the next number in one statement; the counter row is locked until the commit. */
async function openPlace(ctx: WriteContext, key: string): Promise<Place> {
  const { rows } = await sql<Place>`
    with place as (
      select ${projectColumns('p')}, ${projectWorkflow('p')} as workflow_id from projects.projects p where ${keyIs(ctx, key)} limit 2
    ), counted as (
      insert into items.counters (owner_id, next_number) select "ownerId", 2 from place limit 1
      on conflict (owner_id) do update set next_number = counters.next_number + 1 returning next_number - 1 as number
    )
    select place.*, place.workflow_id as "workflowId", ${defaultState(sql`place."ownerId"`, sql`place.workflow_id`)} as "stateId", counted.number
    from place, counted
  `.execute(ctx.db)
  const place = await oneProject(ctx, rows, key)
  checkRole(ctx, place, { write: true })
  if (place.archived) {
    throw new ToolError('invalid_argument', `Project ${place.key} is archived.`, { field: 'project_key', hint: 'Unarchive it in the portal, or choose another project.' })
  }
  return place
}

