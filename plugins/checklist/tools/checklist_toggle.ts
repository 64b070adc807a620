import { defineTool, recordId, sql, ToolError, Type } from 'tasuki/plugin'
import { recordChanges } from '../../items/index.ts'
import { checkRole, keyColumn, visible, type ProjectRow } from '../../projects/index.ts'
import { step, type Step } from '../step.ts'

const Input = Type.Object(
  {
    checklist_item_id: recordId('From checklist_list.'),
    done: Type.Boolean({ description: 'true completes, false reopens.' }),
  },
  { additionalProperties: false },
)

interface Found extends Step {
  readonly ownerId: string
  readonly itemId: string
  readonly ref: string
  readonly title: string
  readonly project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>
}

export const checklistToggle = defineTool({
  name: 'checklist_toggle',
  class: 'W',
  title: 'Toggle checklist step',
  summary: 'Completes or reopens one checklist step.',
  rank: 240,
  input: Input,
  output: Type.Object({ item_ref: Type.String(), checklist_item: step, changed: Type.Array(Type.String()) }),
  async run(ctx, { checklist_item_id: id, done }) {
    const { rows } = await sql<Found>`
      select c.id, c.content, c.done, c.position, c.owner_id as "ownerId", i.id as "itemId", ${keyColumn(ctx, 'p')} || '#' || i.number as ref, i.title,
        json_build_object('ownerId', p.owner_id, 'id', p.id, 'key', ${keyColumn(ctx, 'p')}) as project
      from checklist.steps c
      join items.items i on i.owner_id = c.owner_id and i.id = c.item_id
      join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      where c.id = ${id} and ${visible(ctx, 'i')} for update of c
    `.execute(ctx.db)
    const [found] = rows
    if (!found) {
      throw new ToolError('not_found', `There is no checklist step ${id}.`, {
        field: 'checklist_item_id',
        hint: 'checklist_list shows the steps of an item.',
      })
    }
    checkRole(ctx, found.project, { write: true })
    const { ownerId, itemId, ref, title, project, ...before } = found
    const result = { item_ref: ref, checklist_item: { ...before, done } }
    if (before.done === done) return { ...result, changed: [] }
    await sql`
      update checklist.steps set done = ${done}, done_at = ${done ? ctx.now : null} where owner_id = ${ownerId} and id = ${id}
    `.execute(ctx.db)
    const kind = done ? 'checklist.completed' : 'checklist.reopened'
    await recordChanges(ctx, [{ ownerId, itemId, projectId: project.id, ref, title, kind, to: before.content }])
    return { ...result, changed: ['done'] }
  },
})
