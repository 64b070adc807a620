import { callTool } from 'tasuki/plugin'
import {
  addressOf,
  containPart,
  defineItemForm,
  definePage,
  descriptionList,
  failedPart,
  html,
  formatDay,
  formatDayIn,
  formatInstant,
  ITEM,
  itemAddress,
  itemPanels,
  markdownView,
  readSubject,
  Redirect,
  refIn,
} from '../../portal/index.ts'
import type { Child, Html, ItemFields, ItemPanel, ShownItem, UserVisit } from '../../portal/index.ts'
import { access, readKey } from '../../projects/index.ts'
import { stateName, workflowStatesList, type WorkflowStateRow } from '../../workflows/index.ts'
import { overdueCheck, zoneOfOwner } from '../query/clock.ts'
import { itemsContextGet } from '../tools/items_context_get.ts'
import { typeName } from '../type-names.ts'
import { moveShownItem, stateFields } from './move-state.ts'
import { dueText, itemTexts, kindName, stateRefusals } from './texts.ts'
import { noticeWith } from './warnings.ts'

const moveForm = defineItemForm({
  path: `${ITEM}/state`,
  to: `${ITEM}#fields`,
  fields: stateFields,
  refusals: stateRefusals,
  run: (ctx, ref, input, visit) => moveShownItem(ctx, visit, ref, input),
  notice: (language, _input, result, visit) => noticeWith(visit, itemTexts(language).moved, result),
})

interface Data {
  readonly item: ShownItem
  readonly overdue: boolean
  /** Time zone of the due time, if it is another one than that of the reader. */
  readonly zone: string | null
  readonly states: readonly WorkflowStateRow[]
  readonly body: Html | null
  readonly panels: readonly (Html | null)[]
}

/** The page of an item with all its panels. */
export const itemPage = definePage<Data>({
  path: ITEM,
  forms: [moveForm],
  async load(visit) {
    const read = await visit.read(async ctx => {
      const ref = refIn(visit.params)
      const { item: fields, ...sections } = await callTool(itemsContextGet, ctx, { item_ref: ref })
      const key = visit.params['key']!
      const { ref: now, project_key: present } = fields as unknown as ItemFields
      // The item was in that project before.
      if (readKey(key).key !== readKey(present).key) return new Redirect(itemAddress(key, now))
      const subject = await readSubject(ctx, visit)
      const { states } = await callTool(workflowStatesList, ctx, { project_key: visit.params['key']! })
      const item: ShownItem = { ref, ...subject, fields: fields as unknown as ItemFields, sections }
      const panels: (() => ReturnType<ItemPanel<unknown>['view']>)[] = []
      for (const panel of ctx.all(itemPanels.point).toSorted((a, b) => a.rank - b.rank)) {
        const load = async (): Promise<(typeof panels)[number]> => {
          const data = await panel.load(ctx, item)
          return () => containPart(visit, panel, async () => panel.view(visit, item, data), failedPart(visit))
        }
        panels.push(await containPart(visit, panel, load, () => failedPart(visit)))
      }
      const overdue = item.fields.type === 'task' && overdueCheck(ctx, item.project.ownerId)(item.fields)
      const zone = zoneOfOwner(ctx, item.project.ownerId)
      const isOther = item.fields.due_time !== undefined && zone !== access(ctx).timeZone
      return { item, overdue, zone: isOther ? zone : null, states, panels }
    })
    if (read instanceof Redirect) return read
    const { detail } = read.item.fields
    // Outside the read transaction: rendering a long text takes time and would hold the database connection.
    const [body, ...panels] = await Promise.all([
      detail ? markdownView(visit, detail, 2) : null,
      ...read.panels.map(view => view()),
    ])
    return { ...read, body, panels }
  },
  title: (_visit, { item }) => `${item.fields.ref} ${item.fields.title}`,
  view(visit, { item, overdue, zone, states, body, panels }) {
    const t = itemTexts(visit.language)
    const { fields, role } = item
    return html`<p class="quiet">
        <code>${fields.ref}</code>
        ${typeName(visit.language, fields.type)}${fields.archived_at !== null && html` <span class="tag">${t.archived}</span>`}
      </p>
      <h1>${fields.title}</h1>
      <div class="item">
        <aside id="fields" aria-label="${t.fields}">
          ${role === 'viewer' ? html`<p><strong>${stateName(visit.language, fields.status)}</strong></p>` : moveView(visit, item, states)}
          ${fieldList(visit, fields, { overdue, zone })}
          <ul class="rows">
            ${role !== 'viewer' && html`<li><a href="${addressOf(`${ITEM}/edit`, visit.params)}">${t.edit}</a></li>`}
            <li><a href="${addressOf(`${ITEM}/revisions`, visit.params)}">${t.revisions}</a></li>
            ${role !== 'viewer' && html`<li><a href="${addressOf(`${ITEM}/move`, visit.params)}">${t.moveToProject}</a></li>`}
          </ul>
        </aside>
        <div>${body ?? html`<p class="quiet">${t.noBody}</p>`} ${panels}</div>
      </div>`
  },
})

function moveView(visit: UserVisit, { fields }: ShownItem, states: readonly WorkflowStateRow[]): Html {
  const t = itemTexts(visit.language)
  return moveForm.view(
    visit,
    form =>
      html`${form.shown({ status_definition_id: fields.status_definition_id })}
      ${form.select('status_definition_id', {
        label: t.state,
        value: fields.status_definition_id,
        options: Object.fromEntries(states.map(({ id, name }) => [id, stateName(visit.language, name)])),
      })}
      ${form.submit(t.move, { kind: 'plain' })}`,
  )
}

function fieldList(visit: UserVisit, fields: ItemFields, { overdue, zone }: Pick<Data, 'overdue' | 'zone'>): Html {
  const t = itemTexts(visit.language)
  const rows: readonly (readonly [string, Child])[] = [
    [t.kind, fields.type === 'task' ? kindName(visit.language, fields.agile_kind) : null],
    [t.priority, fields.priority && t.priorities[fields.priority]],
    [
      fields.type === 'event' ? t.when : t.due,
      fields.due_date &&
        html`${dueText(visit, fields)}${zone && ` (${zone})`}${overdue && html` <span class="tag bad">${t.overdue}</span>`}`,
    ],
    [t.start, fields.start_date && formatDay(visit, fields.start_date)],
    [t.completed, fields.completed_at && formatInstant(visit, fields.completed_at)],
    [t.estimate, fields.estimate === undefined ? null : String(fields.estimate)],
    [t.sprint, fields.sprint_path],
    [t.version, fields.version_name],
    [t.area, fields.area_path],
    [t.labels, fields.labels && fields.labels.map(label => html`<span class="tag">${label}</span> `)],
    [t.numbers, fields.custom_numbers?.map(row => row.display_ref ?? row.series_key).join(', ')],
    ...(fields.custom_fields ?? []).map(({ label, value }) => [label, formatDayIn(visit, value)] as const),
  ]
  return descriptionList(rows.filter(([, value]) => value !== ''))
}
