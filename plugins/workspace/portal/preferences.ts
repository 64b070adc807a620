import {
  defineForm,
  definePage,
  defineTexts,
  fields,
  html,
  LANGUAGES,
  mergeShown,
  shownValues,
  table,
} from '../../portal/index.ts'
import { chooseSetting } from '../setting.repository.ts'
import { listSettings } from '../settings.ts'

const texts = defineTexts({
  title: { en: 'Chat and models', ja: 'チャットとモデル' },
  lead: {
    en: 'Settings that chat apps and models get about you and this service.',
    ja: 'チャットアプリやモデルに渡される、あなたとこのサービスについての設定です。',
  },
  language: { en: 'Answer language', ja: '回答の言語' },
  auto: { en: 'Language of my message', ja: '自分が書いた言語' },
  all: { en: 'All settings that apps get', ja: 'アプリに渡されるすべての設定' },
  more: {
    en: 'The time zone is set under Account, features under Features.',
    ja: 'タイムゾーンは「アカウント」、機能のオンとオフは「機能」で設定します。',
  },
  sources: {
    en: { default: 'default', user: 'you', deployment: 'the operator of this service' },
    ja: { default: '既定値', user: 'あなた', deployment: 'サービスの運営者' },
  },
  on: { en: 'on', ja: 'オン' },
  off: { en: 'off', ja: 'オフ' },
})

const PATH = '/settings/chat'
const AUTO = 'auto'
const KEY = 'chat.language'

const languagesFor = (auto: string): Readonly<Record<string, string>> => ({ [AUTO]: auto, ...LANGUAGES })

function languageIn(settings: Awaited<ReturnType<typeof listSettings>>): string {
  const chosen = settings.find(({ key }) => key === KEY)?.value
  return typeof chosen === 'string' ? chosen : AUTO
}

const languageForm = defineForm({
  path: PATH,
  fields: {
    language: fields.singleChoice([AUTO, ...(Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[])]),
    shown: shownValues(),
  },
  async run(visit, { shown, ...entered }) {
    const t = texts(visit.language)
    await visit.write(async ctx => {
      const stored = { language: languageIn(await listSettings(ctx)) }
      const { language } = mergeShown(visit, { shown, stored, entered }, value => languagesFor(t.auto)[value] ?? value)
      return chooseSetting(ctx, KEY, language === AUTO ? null : language)
    })
    return { to: PATH, notice: t.saved }
  },
})

/** Settings → Chat and models: the values that settings_list returns. */
export const preferencesPage = definePage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 60 },
  forms: [languageForm],
  load: ({ read }) => read(listSettings),
  view(visit, settings) {
    const t = texts(visit.language)
    const language = languageIn(settings)
    const languages = languagesFor(t.auto)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${languageForm.view(
        visit,
        form =>
          html`${form.shown({ language })}
          ${form.select('language', { label: t.language, value: language, options: languages })}`,
        { submit: t.save },
      )}
      <h2>${t.all}</h2>
      <p class="quiet">${t.more}</p>
      ${table(t.all, settings, [
        { title: t.setting, cell: ({ key }) => html`<code>${key}</code>` },
        {
          title: t.value,
          cell({ key, value, shown }) {
            if (shown) return shown[visit.language] ?? shown.en
            if (typeof value === 'boolean') return value ? t.on : t.off
            return key === KEY ? (languages[String(value)] ?? String(value)) : String(value)
          },
        },
        { title: t.source, cell: ({ source }) => t.sources[source] },
      ])}`
  },
})
