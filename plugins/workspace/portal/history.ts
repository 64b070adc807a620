import { isInstant, quoteName, quoteNameJa } from 'tasuki/plugin'
import {
  addressOf,
  definePage,
  html,
  formatDayIn,
  formatInstant,
  ITEM,
  itemPanels,
  offsetOf,
  pager,
  refIn,
} from '../../portal/index.ts'
import type { Child, Html, Language, UserVisit } from '../../portal/index.ts'
import { stateName } from '../../workflows/index.ts'
import { readActivities } from '../activity.repository.ts'
import type { ActivityRecord, NamesOfChanges } from '../activity.ts'
import { comingWord, reminderWord, subjectWord, texts, thingWord, valueWord, verbWord } from './history-texts.ts'
import { reasonText } from './reasons.ts'

const PATH = `${ITEM}/history`
/** Entries on the item page. */
const FIRST = 5
const PAGE = 30

export const historyPanel = itemPanels<History>({
  rank: 90,
  load: (ctx, { ref }) => readActivities(ctx, ref, { limit: FIRST, named: true }),
  view(visit, _item, history) {
    const t = texts(visit.language)
    return html`<h2>${t.history}</h2>
      ${activityList(visit, history)}
      <p><a href="${addressOf(PATH, visit.params)}">${t.allHistory}</a></p>`
  },
})

/** All changes of an item. */
export const historyPage = definePage({
  path: PATH,
  load: ({ params, query, read }) =>
    read(async ctx => {
      const offset = offsetOf(query)
      const choice = { limit: PAGE + 1, offset, named: true }
      const { ref, activities, names } = await readActivities(ctx, refIn(params), choice)
      return { ref, offset, names, activities: activities.slice(0, PAGE), more: activities.length > PAGE }
    }),
  title: ({ language }, { ref }) => `${texts(language).history} – ${ref}`,
  view(visit, { ref, offset, more, ...history }) {
    const t = texts(visit.language)
    const path = addressOf(PATH, visit.params)
    return html`<p class="quiet"><a href="${addressOf(ITEM, visit.params)}">${ref}</a></p>
      <h1>${t.history}</h1>
      ${activityList(visit, history)} ${pager(visit, { path, offset, size: PAGE, more })}`
  },
})

interface History {
  readonly activities: readonly ActivityRecord[]
  readonly names: NamesOfChanges
}

function activityList(visit: UserVisit, { activities, names }: History): Html {
  const t = texts(visit.language)
  if (activities.length === 0) return html`<p class="quiet">${t.noHistory}</p>`
  return html`<ol class="history">
    ${activities.map(
      entry =>
        html`<li>
          <p>
            <strong>${describeKind(visit, entry, names)}</strong>
            ${!entry.kind.startsWith('item.detail.') && changeView(visit, entry)}
          </p>
          ${entry.reason !== undefined && html`<p>${reasonText(visit.language, entry.reason)}</p>`}
          <p class="quiet">
            <bdi>${entry.actor ?? entry.actor_kind}</bdi
            >${entry.client !== undefined && (entry.actor_kind !== 'human' || entry.client !== 'portal') && ` ${t.client(entry.client)}`}
            · ${formatInstant(visit, entry.created_at)}
          </p>
        </li>`,
    )}
  </ol>`
}

/** Renders the values of a change. */
function changeView(visit: UserVisit, { kind, from, to }: ActivityRecord): Html {
  const t = texts(visit.language)
  const [before, after] = [translateValue(visit, kind, from), translateValue(visit, kind, to)]
  if (comingOf({ kind, from, to }) === 'cleared')
    return html` (<span class="quiet">${t.was}</span> ${shortenValue(visit, before)})`
  // A skipped occurrence or a deleted record is the former value, and no change from one to another.
  const words = /\.(skipped|deleted|removed)$/.test(kind)
    ? [null, null]
    : [t.changedFrom, isEmpty(from) ? null : t.changedTo]
  return html`${valueView(visit, words[0]!, before)}${valueView(visit, words[1]!, after)}`
}

/** Returns whether a change sets or clears a value; null for another one. */
function comingOf({ kind, from, to }: Pick<ActivityRecord, 'kind' | 'from' | 'to'>): 'set' | 'cleared' | null {
  if (!kind.endsWith('.changed') || isEmpty(from) === isEmpty(to)) return null
  return isEmpty(from) ? 'set' : 'cleared'
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Formats days, and translates names of built-in states, priorities and kinds. */
function translateValue(visit: UserVisit, kind: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (/^item\.(?:due_date|start_date|custom_fields\.\w+)\.changed$/.test(kind)) return formatDayIn(visit, value)
  if (['item.state.changed', 'item.completed', 'item.reopened'].includes(kind)) return stateName(visit.language, value)
  const isWord = ['item.priority.changed', 'item.kind.changed'].includes(kind)
  return (isWord && valueWord(visit.language, value)) || value
}

/** @param word label before the value; null for a creation, which has no former value */
function valueView(visit: UserVisit, word: string | null, value: unknown): Child {
  const shown = !isEmpty(value) && shortenValue(visit, value)
  return shown !== false && html` ${word !== null && html`<span class="quiet">${word}</span>`} ${shown}`
}

/** Describes a kind such as `item.due_date.changed` in words, if there is a text for it. */
function describeKind({ language }: UserVisit, entry: ActivityRecord, names: NamesOfChanges): string {
  const t = texts(language)
  const { kind } = entry
  const coming = comingOf(entry)
  const parts = kind.split('.')
  const [last, before] = [parts.at(-1)!, parts.at(-2)!]
  const [thing, came] = [thingWord(language, before), comingWord(language, last)]
  const named = parts.length === 4 ? nameIn(language, names[parts[1]!], before) : undefined
  if (named === undefined && thing !== undefined && came !== undefined) return t.phrase(came, thing)
  // A text is not shown here, so that nothing follows "set to".
  const verb = coming && kind !== 'item.detail.changed' ? t[coming] : verbWord(language, last)
  const subject = named ?? subjectWord(language, before)
  if (verb === undefined) return kind
  if (subject !== undefined) return `${subject}: ${verb}`
  // Alone it begins the line, as the other entries begin with a capital.
  return parts.length === 2 && parts[0] === 'item' ? verb[0]!.toUpperCase() + verb.slice(1) : kind
}

/** The name of what a plugin's kind of entry is about; its key if it has no name, as after a move to another project. */
function nameIn(language: Language, names: NamesOfChanges[string] | undefined, key: string): string {
  if (!names || !Object.hasOwn(names, key)) return key
  return language === 'ja' ? quoteNameJa(names[key]!) : quoteName(names[key]!)
}

/** Formats an occurrence that takes the whole day; others are instants, which stay. */
const dayText = (visit: UserVisit, at: unknown): unknown => (typeof at === 'string' ? formatDayIn(visit, at) : at)

/** Renders a value of a change; nothing for a missing value. Former texts are among the revisions. */
function shortenValue(visit: UserVisit, value: unknown): Child {
  if (isInstant(value)) return formatInstant(visit, value)
  if (typeof value === 'string' || typeof value === 'number') return value !== '' && html`<q>${value}</q>`
  if (Array.isArray(value)) return value.map(each => html`<span class="tag">${String(each)}</span> `)
  if (value === null || typeof value !== 'object') return String(value)
  if ('remind_at' in value) {
    const status = 'status' in value ? String(value.status) : ''
    const word = reminderWord(visit.language, status)
    return html`${formatInstant(visit, String(value.remind_at))}
    ${word !== undefined && html`<span class="tag">${word}</span>`}`
  }
  if ('occurrence' in value) return shortenValue(visit, dayText(visit, value.occurrence))
  if ('next' in value)
    return html`<span class="quiet">${texts(visit.language).next}</span>
      ${shortenValue(visit, dayText(visit, value.next))}`
  if ('display_ref' in value) return html`<code>${String(value.display_ref)}</code>`
  if ('title' in value) return html`<q>${String(value.title)}</q>`
  if ('url' in value) return html`<q>${String(value.url)}</q>`
  if ('excerpt' in value) return html`<q>${String(value.excerpt).replace(/…$/, '')}…</q>`
  return 'item' in value ? html`<code>${String(value.item)}</code>` : html`<code>${JSON.stringify(value)}</code>`
}
