import { date, defineTool, guarded, time, Type, widen } from 'tasuki/plugin'
import { projectKey } from '../../projects/index.ts'
import { applyDue, detail, priority, stateMisnomers, title } from '../write-params.ts'
import { newDraft } from '../create-draft.ts'
import { DEFAULT_KIND, requireKind } from '../kinds.ts'
import { requireParent } from '../parents.ts'
import { findPlace, newItemValues } from '../place.ts'
import { contributedParams } from '../points.ts'
import { readCreated, writtenOutput } from '../result.ts'
import { writeItem } from '../write.ts'

const Input = Type.Object({
  project_key: projectKey(),
  title,
  detail: Type.Optional(detail()),
  due_date: Type.Optional(date('YYYY-MM-DD.', { clearable: true })),
  due_time: Type.Optional(time('HH:MM; needs due_date.', { clearable: true })),
  start_date: Type.Optional(date('YYYY-MM-DD.', { clearable: true })),
  priority: Type.Optional(priority),
  kind: Type.Optional(
    guarded(Type.String({ default: 'task', description: 'epic, story, task, bug, chore or a custom kind.' }), {
      maxLength: 40,
    }),
  ),
  parent: Type.Optional(guarded(Type.String({ description: 'Parent item.' }), { maxLength: 300 })),
})

export const itemsCreate = defineTool({
  name: 'items_create',
  class: 'W',
  title: 'Create item',
  summary: 'Creates a task; placement that is not given is inherited from the parent.',
  rank: 50,
  input: all => widen(Input, contributedParams(all, 'items_create')),
  misnomers: stateMisnomers('Create it first; items_move_state then sets the state.'),
  output: writtenOutput,
  async run(ctx, input) {
    const place = await findPlace(ctx, input.project_key)
    const kind = input.kind ? await requireKind(ctx, place, input.kind) : DEFAULT_KIND
    const parent = input.parent ? await requireParent(ctx, input.parent, place.ownerId) : null
    const draft = newDraft({
      project: place,
      workflowId: place.workflowId,
      parent,
      values: {
        ...newItemValues('task', place),
        title: input.title,
        detail: input.detail ?? '',
        startDate: input.start_date || null,
        priority: input.priority ?? null,
        kind,
        parentId: parent?.id ?? null,
      },
    })
    applyDue(draft, input.due_date, input.due_time)
    await writeItem(ctx, draft, { tool: 'items_create', input })
    return readCreated(ctx, draft, input)
  },
})
