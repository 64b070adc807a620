import { formatCount, isInstant, type AuditEntry, type AuditOutcome } from 'tasuki/plugin'
import { browserName } from '../auth/browser-name.ts'
import { attributes, html, type Child, type Html } from '../html.ts'
import { defineTexts, joinSentences } from '../language.ts'
import { definePage } from '../page.ts'
import { offsetOf, pager } from '../ui/pager.ts'
import { formatInstant, tableOr } from '../ui/parts.ts'
import type { UserVisit } from '../visit.ts'

const texts = defineTexts({
  title: { en: 'Activity', ja: 'アクティビティ' },
  lead: {
    en: 'Sign-ins, refusals, and changes of access and settings.',
    ja: 'サインイン、拒否された操作、アクセス権や設定の変更の記録です。',
  },
  keep: {
    en: (days: number) => `Entries are kept for ${formatCount(days, 'day')}.`,
    ja: days => `記録は${days}日間保存されます。`,
  },
  whose: { en: 'Account', ja: 'アカウント' },
  own: { en: 'My account', ja: '自分のアカウント' },
  all: { en: 'All users', ja: 'すべてのユーザー' },
  action: { en: 'What', ja: '内容' },
  anyAction: { en: 'Everything', ja: 'すべて' },
  anyOutcome: { en: 'All', ja: 'すべて' },
  outcomes: {
    en: { ok: 'Done', refused: 'Refused', failed: 'Failed' },
    ja: { ok: '完了', refused: '拒否', failed: '失敗' },
  },
  apply: { en: 'Filter', ja: '絞り込む' },
  none: { en: 'No entries.', ja: '記録はありません。' },
  by: { en: 'By', ja: '操作した人' },
  system: { en: 'the system or unknown', ja: 'システムまたは不明' },
  from: { en: 'From', ja: '接続元' },
  times: { en: (n: number) => formatCount(n, 'more time'), ja: n => `ほかに${n}回` },
  about: { en: (user: string) => `account ${user}`, ja: user => `対象アカウント: ${user}` },
  true: { en: 'yes', ja: 'はい' },
  false: { en: 'no', ja: 'いいえ' },
})

const PATH = '/settings/activity'
const PAGE = 50
const OUTCOMES = ['ok', 'refused', 'failed'] as const satisfies readonly AuditOutcome[]

/** Settings → Activity: the audit trail of the user's account; administrators may see all entries. */
export const activityPage = definePage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 40 },
  wide: true,
  load: ({ services: { audit }, session, query, read }) => {
    const action = audit.actions.has(query['action'] ?? '') ? query['action'] : undefined
    const outcome = OUTCOMES.find(each => each === query['outcome'])
    const whose = session.isAdministrator && query['whose'] === 'all' ? 'all' : undefined
    const offset = offsetOf(query)
    const userId = whose === 'all' ? undefined : session.userId
    return read(async ctx => {
      const entries = await audit.list(ctx, { userId, action, outcome, limit: PAGE + 1, offset })
      return { entries: entries.slice(0, PAGE), more: entries.length > PAGE, query: { whose, action, outcome }, offset }
    })
  },
  view(visit, { entries, more, query, offset }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${joinSentences(visit.language, t.lead, t.keep(visit.services.audit.keepDays))}</p>
      ${filters(visit, query)} ${entryTable(visit, entries)}
      ${pager(visit, { path: PATH, query, offset, size: PAGE, more })}`
  },
})

interface Query {
  readonly whose: string | undefined
  readonly action: string | undefined
  readonly outcome: AuditOutcome | undefined
}

function filters(visit: UserVisit, { whose, action, outcome }: Query): Html {
  const t = texts(visit.language)
  const titles = [...visit.services.audit.actions.keys()].map(name => [name, titleOf(visit, name)] as const)
  const sorted = titles.toSorted(([, a], [, b]) => a.localeCompare(b, visit.language))
  return html`<form method="get" action="${PATH}" class="filter">
    ${
      visit.session.isAdministrator &&
      select(
        'whose',
        t.whose,
        [
          ['', t.own],
          ['all', t.all],
        ],
        whose,
      )
    }
    ${select('action', t.action, [['', t.anyAction], ...sorted], action)}
    ${select('outcome', t.outcome, [['', t.anyOutcome], ...Object.entries(t.outcomes)], outcome)}
    <button type="submit" class="plain">${t.apply}</button>
  </form>`
}

function select(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  chosen: string | undefined,
): Html {
  return html`<label
    >${label}
    <select name="${name}">
      ${options.map(
        ([value, text]) => html`<option ${attributes({ value, selected: value === (chosen ?? '') })}>${text}</option>`,
      )}
    </select></label
  >`
}

function entryTable(visit: UserVisit, entries: readonly AuditEntry[]): Html {
  const t = texts(visit.language)
  return tableOr(t.none, t.title, entries, [
    { title: t.at, cell: entry => formatInstant(visit, entry.at) },
    { title: t.action, cell: entry => what(visit, entry) },
    {
      title: t.by,
      cell: ({ actor, credential, client, client_version: version }) =>
        html`${actor ?? t.system}
        ${(credential ?? client) !== null && html`<br /><span class="quiet">${[credential, client, version].filter(Boolean).join(' · ')}</span>`}`,
    },
    { title: t.from, cell: ({ address }) => address !== null && html`<code>${address}</code>` },
  ])
}

function what(visit: UserVisit, { action, outcome, target, times, user, actor, details }: AuditEntry): Child {
  const t = texts(visit.language)
  const facts = Object.entries(details).filter(([, value]) => value !== null && value !== '')
  return html`${titleOf(visit, action)} ${outcome !== 'ok' && html`<span class="tag bad">${t.outcomes[outcome]}</span>`}
  ${target !== null && html`<br /><strong>${target}</strong>`} ${times > 1 && html`<br />${t.times(times)}`}
  ${user !== null && user !== actor && user !== target && user !== visit.session.email && html`<br /><span class="quiet">${t.about(user)}</span>`}
  ${facts.length > 0 && html`<br /><span class="quiet">${facts.map(([name, value], n) => html`${n > 0 && ', '}${wordOf(visit, action, name) ?? name}: ${factView(visit, action, name, value)}`)}</span>`}`
}

function factView(visit: UserVisit, action: string, name: string, value: unknown): Child {
  if (isInstant(value)) return formatInstant(visit, value)
  if (typeof value === 'boolean') return texts(visit.language)[`${value}`]
  if (name === 'browser') return browserName(String(value))
  if (typeof value === 'object') return JSON.stringify(value)
  return wordOf(visit, action, `${name}.${String(value)}`) ?? String(value)
}

/** Returns the name that a plugin gives to a detail of its actions or to a value. */
function wordOf({ services, language }: UserVisit, action: string, code: string): string | undefined {
  const words = services.audit.actions.get(action)?.words ?? {}
  return Object.hasOwn(words, code) ? (words[code]![language] ?? words[code]!.en) : undefined
}

/** In the page's language if the plugin has the title; for a plugin that is off, the recorded name. */
function titleOf({ services, language }: UserVisit, name: string): string {
  const title = services.audit.actions.get(name)?.title
  return title?.[language] ?? title?.en ?? name
}
