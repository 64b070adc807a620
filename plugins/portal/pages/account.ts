import { normalizeTimeZone, PLACEHOLDER_EMAIL } from 'tasuki/plugin'
import { savePreferences } from '../auth/account.repository.ts'
import type { Session } from '../auth/session.repository.ts'
import { clearCookie } from '../auth/cookies.ts'
import { singleChoice, text } from '../fields.ts'
import { html } from '../html.ts'
import { defineTexts, LANGUAGES } from '../language.ts'
import { defineForm, definePage, Refusal } from '../page.ts'
import { ACCOUNT, emailForm, emailTexts, isByOperator } from './email-form.ts'
import { mergeShown, shownValues } from '../shown-values.ts'
import { descriptionList } from '../ui/parts.ts'

const texts = defineTexts({
  title: { en: 'Account', ja: 'アカウント' },
  newEmail: { en: 'New e-mail address', ja: '新しいメールアドレス' },
  emailHint: {
    en: 'You sign in with it. Invitations to your former address come with you.',
    ja: 'サインインに使います。これまでのアドレスへの招待は引き継がれます。',
  },
  changeEmail: { en: 'Change e-mail address', ja: 'メールアドレスを変更' },
  placeholder: {
    en: 'This is a placeholder from the first start. Enter your own address.',
    ja: '初回起動時の仮のアドレスです。ご自分のアドレスを入力してください。',
  },
  timeZone: { en: 'Time zone', ja: 'タイムゾーン' },
  timeZoneHint: { en: 'Due dates and reminders are in it.', ja: '期限とリマインダーはこのタイムゾーンで扱われます。' },
  badZone: {
    en: 'Choose a time zone from the list, such as Asia/Tokyo.',
    ja: 'Asia/Tokyo のように、一覧からタイムゾーンを選んでください。',
  },
  language: { en: 'Language', ja: '言語' },
  asBrowser: { en: 'Browser default', ja: 'ブラウザーの既定' },
  theme: { en: 'Appearance', ja: '外観' },
  auto: { en: 'System', ja: 'システム' },
  light: { en: 'Light', ja: 'ライト' },
  dark: { en: 'Dark', ja: 'ダーク' },
  data: { en: 'Your data', ja: 'データの書き出し' },
  dataText: {
    en: 'One file with everything you own and its attachments, as JSON Lines in an archive (tar.gz). Your password is asked for first; with much data it takes a while.',
    ja: '所有するすべてのデータと添付ファイルを1つのファイル（JSON Lines の tar.gz アーカイブ）にまとめます。最初にパスワードを確認します。データが多いと時間がかかります。',
  },
  exportData: { en: 'Export my data', ja: 'データを書き出す' },
})

const AUTO = 'auto'
const languages = Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]

const storedValues = ({ name, timeZone: time_zone, language, theme }: Session) => {
  return { name, time_zone, language: language ?? AUTO, theme: theme ?? AUTO }
}

const accountForm = defineForm({
  path: ACCOUNT,
  fields: {
    name: text({ max: 120 }),
    time_zone: text({ max: 80 }),
    language: singleChoice([AUTO, ...languages]),
    theme: singleChoice([AUTO, 'light', 'dark']),
    shown: shownValues(),
  },
  async run(visit, { shown, ...entered }) {
    const { services, reply, session, write } = visit
    const values = { shown, stored: storedValues(session), entered }
    const { name, time_zone: timeZone, language, theme } = mergeShown(visit, values)
    if (normalizeTimeZone(timeZone) === null) throw new Refusal({ time_zone: texts(visit.language).badZone })
    await write(async ctx => {
      await ctx.users.update(session.userId, { name, timeZone })
      await savePreferences(ctx, session.userId, {
        language: language === AUTO ? null : language,
        theme: theme === AUTO ? null : theme,
      })
    })
    // The language cookie would otherwise override the browser's setting.
    clearCookie({ services, reply }, 'language')
    // In the newly chosen language; with AUTO, only the next page knows the browser's setting.
    return { to: ACCOUNT, notice: texts(language === AUTO ? visit.language : language).saved }
  },
})

const exportForm = defineForm({
  path: '/settings/account/export',
  fields: {},
  // Otherwise anyone with access to an open browser could export everything.
  confirm: 'always',
  run: async ({ exportData }) => ({ file: await exportData() }),
})

export const accountPage = definePage({
  path: ACCOUNT,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 20 },
  forms: [accountForm, emailForm, exportForm],
  load: async () => ({ zones: Intl.supportedValuesOf('timeZone') }),
  view(visit, { zones }) {
    const t = texts(visit.language)
    const { session } = visit
    return html`<h1>${t.title}</h1>
      ${descriptionList([[t.email, session.email]])}
      ${accountForm.view(
        visit,
        form =>
          html`${form.shown(storedValues(session))}
            ${form.input('name', { label: t.name, value: session.name, autocomplete: 'name' })}
            ${form.input('time_zone', { label: t.timeZone, hint: t.timeZoneHint, value: session.timeZone, list: 'time-zones', code: true })}
            <datalist id="time-zones">${zones.map(zone => html`<option value="${zone}"></option>`)}</datalist>
            ${form.select('language', { label: t.language, value: session.language ?? AUTO, options: { [AUTO]: t.asBrowser, ...LANGUAGES } })}
            ${form.radios('theme', { label: t.theme, value: session.theme ?? AUTO, options: { [AUTO]: t.auto, light: t.light, dark: t.dark } })}`,
        { submit: t.save },
      )}
      <h2>${t.email}</h2>
      ${session.email === PLACEHOLDER_EMAIL && html`<p class="notice">${t.placeholder}</p>`}
      ${
        isByOperator(visit.services)
          ? html`<p>${emailTexts(visit.language).byOperator}</p>`
          : emailForm.view(
              visit,
              form =>
                html`${form.input('email', { label: t.newEmail, hint: t.emailHint, type: 'email', autocomplete: 'email' })}
                  <p class="actions">${form.submit(t.changeEmail, { kind: 'plain' })}</p>`,
            )
      }
      <h2>${t.data}</h2>
      <p>${t.dataText}</p>
      ${exportForm.view(visit, () => html``, { submit: t.exportData })}`
  },
})
