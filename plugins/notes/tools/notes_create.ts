import { defineTool, ToolError, Type, widen, type WriteContext } from 'tasuki/plugin'
import {
  detailParam,
  findPlace,
  newItem,
  readCreated,
  titleParam,
  writeNewItem,
  writtenOutput,
} from '../../items/index.ts'
import type { Draft } from '../../items/index.ts'
import { chosenParams } from '../../items/points.ts'
import { INBOX, projectKey } from '../../projects/index.ts'
import { planBindings } from '../points.ts'

const Input = Type.Object({
  project_key: Type.Optional(projectKey('Needed unless bind_as_plan_draft.')),
  title: titleParam,
  body: Type.Optional(detailParam('Markdown.')),
  bind_as_plan_draft: Type.Optional(Type.Boolean({ description: 'Pins it as the plan of this conversation.' })),
})

export const notesCreate = defineTool({
  name: 'notes_create',
  class: 'W',
  title: 'Create note',
  summary: 'Creates a note. Use items_create for something to do.',
  rank: 170,
  input: all => widen(Input, chosenParams(all, ['labels'])),
  output: writtenOutput,
  async run(ctx, input) {
    const { project_key: key, title, body = '', bind_as_plan_draft: plan = false } = input
    if (key === undefined && !plan)
      throw new ToolError('missing_argument', 'project_key is required: a project key, or INBOX.', {
        field: 'project_key',
        hint: 'Give the key of a project, or INBOX for the Inbox.',
      })
    const draft = newItem(await findPlace(ctx, key ?? INBOX), 'note', { title, detail: body })
    const { labels } = input as { labels?: readonly string[] }
    await writeNewItem(ctx, draft, labels)
    if (plan) await bindPlan(ctx, draft)
    return readCreated(ctx, draft, input)
  },
})

async function bindPlan(ctx: WriteContext, { ownerId, id, ref, warnings }: Draft): Promise<void> {
  const [binding] = ctx.all(planBindings)
  const outcome = await binding?.bind(ctx, { ownerId, id, ref })
  if (!outcome) warnings.push('The note is not bound to a conversation: this deployment keeps none.')
  else if ('warning' in outcome) warnings.push(outcome.warning)
}
