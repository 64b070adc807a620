import { readActivities, type ActivityRecord } from '../../../../workspace/index.ts'
import { html, type Child, type Html } from '../../../html.ts'
import { definePage } from '../../../page.ts'
import { itemPanels, portalPages } from '../../../points.ts'
import { addressOf } from '../../../ui/form.ts'
import { offsetOf, pager } from '../../../ui/pager.ts'
import { instant } from '../../../ui/parts.ts'
import { reasonText } from '../../../ui/reasons.ts'
import type { UserVisit } from '../../../visit.ts'
import { ITEM, refIn } from '../../../ui/item-address.ts'
import { itemTexts } from '../texts.ts'

const PATH = `${ITEM}/history`
/** Entries on the page of the item. */
const FIRST = 5
const PAGE = 30
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const panel = itemPanels<readonly ActivityRecord[]>({
  rank: 90,
  load: async (ctx, { ref }) => (await readActivities(ctx, ref, { limit: FIRST })).activities,
  view(visit, _item, activities) {
    const t = itemTexts(visit.language)
    return html`<h2>${t.history}</h2>
      ${activityList(visit, activities)}
      <p><a href="${addressOf(PATH, visit.params)}">${t.allHistory}</a></p>`
  },
})

const historyPage = definePage({
  path: PATH,
  load: ({ params, query, read }) =>
    read(async ctx => {
      const offset = offsetOf(query)
      const { ref, activities } = await readActivities(ctx, refIn(params), { limit: PAGE + 1, offset })
      return { ref, offset, activities: activities.slice(0, PAGE), more: activities.length > PAGE }
    }),
  title: ({ language }, { ref }) => `${itemTexts(language).history} – ${ref}`,
  view(visit, { ref, offset, activities, more }) {
    const t = itemTexts(visit.language)
    const path = addressOf(PATH, visit.params)
    return html`<p class="quiet"><a href="${addressOf(ITEM, visit.params)}">${ref}</a></p>
      <h1>${t.history}</h1>
      ${activityList(visit, activities)} ${pager(visit, { path, offset, size: PAGE, more })}`
  },
})

export const historyPanel = [panel, portalPages(historyPage)]

function activityList(visit: UserVisit, activities: readonly ActivityRecord[]): Html {
  const t = itemTexts(visit.language)
  if (activities.length === 0) return html`<p class="quiet">${t.noHistory}</p>`
  return html`<ol class="history">
    ${activities.map(
      entry =>
        html`<li>
          <p>
            <strong>${whatOf(visit, entry.kind)}</strong>
            ${
              !entry.kind.startsWith('item.detail.') &&
              html`${valueView(visit, t.changedFrom, entry.from)}${valueView(visit, entry.from === undefined ? null : t.changedTo, entry.to)}`
            }
          </p>
          ${entry.reason !== undefined && html`<p>${reasonText(visit.language, entry.reason)}</p>`}
          <p class="quiet">
            ${entry.actor ?? entry.actor_kind}${entry.client !== undefined && ` ${t.client(entry.client)}`} ·
            ${instant(visit, entry.created_at)}
          </p>
        </li>`,
    )}
  </ol>`
}

/** @param word stands before the value; null = what was made has nothing before it */
function valueView(visit: UserVisit, word: string | null, value: unknown): Child {
  const shown = value === undefined || value === null ? false : short(visit, value)
  return shown !== false && html` ${word !== null && html`<span class="quiet">${word}</span>`} ${shown}`
}

/** `item.due_date.changed` in words, where there are any. */
function whatOf({ language }: UserVisit, kind: string): string {
  const t = itemTexts(language)
  const verbs: Readonly<Record<string, string>> = t.activities
  const subjects: Readonly<Record<string, string>> = {
    title: t.titleField,
    detail: t.text,
    due_date: t.due,
    due_time: t.due,
    start_date: t.start,
    priority: t.priority,
    kind: t.kind,
    state: t.state,
    labels: t.labels,
    sprint: t.sprint,
    version: t.version,
    area: t.area,
    estimate: t.estimate,
    discussion: t.discussions,
    relation: t.relations,
    checklist: t.checklist,
    attachment: t.attachments,
    reminder: t.reminders,
    number: t.numbers,
    template: t.types.task_template,
    code_ref: t.codeRefs,
    project: t.project,
    parent: t.relationTypes.parent,
  }
  const parts = kind.split('.')
  const verb = verbs[parts.at(-1)!]
  const subject = subjects[parts.at(-2)!]
  if (verb === undefined) return kind
  if (parts[1] === 'custom_fields') return `${parts[2]}: ${verb}`
  if (subject !== undefined) return `${subject}: ${verb}`
  return parts.length === 2 && parts[0] === 'item' ? verb : kind
}

/** A value of a change; nothing where there was none. Former texts are among the versions. */
function short(visit: UserVisit, value: unknown): Child {
  if (typeof value === 'string' && INSTANT.test(value)) return instant(visit, value)
  if (typeof value === 'string' || typeof value === 'number') return value !== '' && html`<q>${value}</q>`
  if (Array.isArray(value)) return value.map(each => html`<span class="tag">${String(each)}</span> `)
  if (value === null || typeof value !== 'object') return String(value)
  if ('remind_at' in value) {
    const status = 'status' in value ? String(value.status) : ''
    const words: Readonly<Record<string, string>> = itemTexts(visit.language).reminderStates
    return html`${instant(visit, String(value.remind_at))}
    ${words[status] !== undefined && html`<span class="tag">${words[status]}</span>`}`
  }
  if ('display_ref' in value) return html`<code>${String(value.display_ref)}</code>`
  if ('excerpt' in value) return html`<q>${String(value.excerpt).replace(/…$/, '')}…</q>`
  return 'item' in value ? html`<code>${String(value.item)}</code>` : html`<code>${JSON.stringify(value)}</code>`
}
