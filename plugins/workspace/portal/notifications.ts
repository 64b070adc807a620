import type { HostServices } from 'tasuki/plugin'
import {
  defineForm,
  definePage,
  defineTexts,
  html,
  formatInstant,
  itemAddress,
  offsetOf,
  pager,
} from '../../portal/index.ts'
import type { Child, UserVisit } from '../../portal/index.ts'
import { markRead, readNotifications, type NotificationRow } from '../notification.repository.ts'
import { notificationTranslations } from '../points.ts'

const texts = defineTexts({
  title: { en: 'Notifications', ja: '通知' },
  none: { en: 'No notifications.', ja: '通知はありません。' },
  unread: { en: 'Unread', ja: '未読' },
  all: { en: 'All', ja: 'すべて' },
  show: { en: 'Show', ja: '表示' },
  mark: { en: 'Mark as read', ja: '既読にする' },
  markAll: { en: 'Mark all as read', ja: 'すべて既読にする' },
  marked: { en: 'Marked as read.', ja: '既読にしました。' },
  new: { en: 'new', ja: '新着' },
})

const PATH = '/notifications'
const PAGE = 20

const markForm = defineForm({
  path: '/notifications/:id/read',
  fields: {},
  async run({ params, write, language }) {
    await write(ctx => markRead(ctx, params['id']!))
    return { to: PATH, notice: texts(language).marked }
  },
})

const markAllForm = defineForm({
  path: PATH,
  fields: {},
  async run({ write, language }) {
    await write(ctx => markRead(ctx, null))
    return { to: PATH, notice: texts(language).marked }
  },
})

export const notificationsPage = definePage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'main', rank: 20 },
  forms: [markForm, markAllForm],
  async load({ query, read }) {
    const status = query['show'] === 'all' ? 'all' : 'unread'
    const offset = offsetOf(query)
    const rows = await read(ctx => readNotifications(ctx, { status, limit: PAGE + 1, offset }))
    return { status, offset, rows: rows.slice(0, PAGE), more: rows.length > PAGE }
  },
  view(visit, { status, offset, rows, more }) {
    const t = texts(visit.language)
    const tab = (name: 'unread' | 'all', href: string) =>
      html`<li>${status === name ? html`<strong>${t[name]}</strong>` : html`<a href="${href}">${t[name]}</a>`}</li>`
    return html`<h1>${t.title}</h1>
      <nav class="tabs" aria-label="${t.show}">
        <ul>
          ${tab('unread', PATH)}${tab('all', `${PATH}?show=all`)}
        </ul>
      </nav>
      ${rows.length === 0 && html`<p class="quiet">${t.none}</p>`}
      ${rows.map(({ id, notification }) => {
        const { title, body } = translateNotification(visit, notification)
        return html`<article class="card">
          <h2>${title}${!notification.read && html` <span class="tag good">${t.new}</span>`}</h2>
          ${body !== undefined && html`<p>${body}</p>`}
          ${
            notification.item_ref !== undefined &&
            html`<p>
              <a href="${itemAddress(notification.item_ref.split('#')[0]!, notification.item_ref)}"
                >${notification.item_ref} ${notification.item_title}</a
              >
            </p>`
          }
          <p class="quiet">${formatInstant(visit, notification.created_at)}</p>
          ${!notification.read && markForm.button(visit, t.mark, { params: { id }, kind: 'plain', about: title })}
        </article>`
      })}
      ${pager(visit, { path: PATH, query: { show: status === 'all' ? 'all' : undefined }, offset, size: PAGE, more })}
      ${rows.some(({ notification }) => !notification.read) && markAllForm.button(visit, t.markAll, { inline: false })}`
  },
})

/** Translates a notification if its plugin has a translation; otherwise it stays in English. */
function translateNotification({ services, language }: UserVisit, notification: NotificationRow['notification']) {
  if (language === 'en') return { title: notification.title, body: linkPlaces(services, notification.body) }
  const translation = services.all(notificationTranslations).find(({ kind }) => kind === notification.kind)
  return translation?.translate(language, notification) ?? notification
}

const PLACES: Readonly<Record<string, string>> = {
  'Settings, Security': '/settings/security',
  'Settings, Integrations': '/settings/integrations',
  'Settings, Second factor': '/settings/second-factor',
  'Settings, Account': '/settings/account',
  'Settings, Invitations': '/settings/invitations',
}

/** Makes links of the places in the portal that an English text names; the page itself shows the time of a notification. */
function linkPlaces(services: Pick<HostServices, 'baseUrl'>, text: string | undefined): Child {
  const parts = text
    ?.replace(/\bWhen: [\d-]+ [\d:]+ UTC, (by|from)/, 'Done $1')
    .split(/(Settings, (?:Second factor|[A-Z]\w+)|https?:\S+\w)/)
  return parts?.map(part => {
    const to = Object.hasOwn(PLACES, part)
      ? PLACES[part]!
      : URL.parse(part)?.origin === new URL(services.baseUrl()).origin && part
    return to ? html`<a href="${to}">${part}</a>` : part
  })
}
