import { iso, sql, Type } from 'tasuki/plugin'
import { itemChanges, itemFields, itemIs } from '../items/points.ts'
import { keyColumn, visible } from '../projects/index.ts'
import { templateFields, templateJson } from './template.ts'
import { followItems } from './schedule.ts'

const ofTemplate = itemFields({
  when: 'single',
  summary: 'how a template recurs',
  fields: templateFields,
  written: Object.keys(templateFields),
  sql: sql`select ${templateJson} from templates.templates t where t.owner_id = i.owner_id and t.item_id = i.id`,
})

/** Where a task comes from, as far as the caller may see it. */
const ofTask = itemFields({
  when: 'single',
  summary: 'the template of a generated task',
  fields: { template_ref: Type.String(), occurrence: Type.String() },
  written: ['template_ref'],
  sql: ctx => sql`select json_build_object('template_ref', ${keyColumn(ctx, 'tp')} || '#' || ti.number, 'occurrence', ${iso('n.occurrence')})
    from templates.instances n join items.items ti on ti.owner_id = n.owner_id and ti.id = n.template_id
    join projects.projects tp on tp.owner_id = ti.owner_id and tp.id = ti.project_id
    where n.owner_id = i.owner_id and n.item_id = i.id and ${visible(ctx, 'ti')}`,
})

const recurring = itemIs({
  value: 'recurring',
  summary: 'templates and what they made',
  sql: () => sql`(i.type = 'task_template' or exists (
    select from templates.instances n where n.owner_id = i.owner_id and n.item_id = i.id))`,
})

const SWITCHES = ['item.archived', 'item.unarchived', 'item.completed', 'item.reopened']

/** A template that is archived or closed makes nothing; taken up again it goes on with the next occurrence. */
const followItem = itemChanges(async (ctx, changes) => {
  const switched = changes.filter(
    ({ kind, after }) => SWITCHES.includes(kind) && (after === undefined || after.type === 'task_template'),
  )
  if (switched.length === 0) return
  const keys = switched.map(({ ownerId, itemId }) => sql`(${ownerId}::uuid, ${itemId}::uuid)`)
  await followItems(ctx, sql`(t.owner_id, t.item_id) in (${sql.join(keys)})`)
})

/** Everything that templates add to items. */
export const onItems = [ofTemplate, ofTask, recurring, followItem]
