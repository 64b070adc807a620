import { clip, type PageText, type ServiceFigures, type ServiceState } from 'tasuki/plugin'
import { html, type Child, type Html } from '../../html.ts'
import type { Language } from '../../language.ts'
import { descriptionList, table } from '../../ui/parts.ts'
import { sizeText } from '../../ui/size-text.ts'
import { defineAdministrationPage } from './page.ts'
import { adminTexts as texts } from './texts.ts'

/** Administration → Service: version, database, storage and plugins. */
export const servicePage = defineAdministrationPage({
  path: '/settings/service',
  name: 'service',
  rank: 82,
  wide: false,
  load: ({ services, asSystem }) => asSystem(ctx => services.administration.state(ctx)),
  view({ language }, state) {
    const t = texts(language)
    const minutes = Math.floor(state.uptime / 60)
    return html`<h1>${t.service}</h1>
      <p class="lead">${t.serviceLead}</p>
      ${descriptionList([
        [t.version, html`tasuki ${state.version}, Node ${state.runtime}`],
        [t.database, html`${t.engines[state.engine]} ${state.database}`],
        [t.uptime, t.hours(Math.floor(minutes / 60), minutes % 60)],
        [t.memory, sizeText(language, state.memory)],
      ])}
      <h2>${t.health}</h2>
      ${table(t.health, healthOf(t, state), [
        { title: t.checked, cell: row => row.what },
        {
          title: t.answer,
          cell: row =>
            html`<span class="tag${row.isGood ? ' good' : ' bad'}">${row.answer}</span
              >${row.mend && html`<p class="quiet" lang="en">${row.mend}</p>`}`,
        },
      ])}
      <h2>${t.storage}</h2>
      <p>${t.whole}: ${sizeText(language, state.databaseBytes)}</p>
      ${table(t.storage, state.storage, [
        { title: t.schema, cell: row => html`<code>${row.schema}</code>` },
        { title: t.size, cell: row => sizeText(language, row.bytes) },
      ])}
      ${state.figures.map(each => figuresView(language, each))}
      <h2>${t.plugins}</h2>
      ${table(t.plugins, state.plugins, [
        { title: t.plugin, cell: row => html`<code>${row.name}</code>` },
        { title: t.version, cell: row => row.version },
        {
          title: t.state,
          cell: row => html`<span class="tag${row.isOn ? ' good' : ''}">${row.isOn ? t.pluginOn : t.pluginOff}</span>`,
        },
      ])}`
  },
})

type Texts = ReturnType<typeof texts>

/** Returns the health of the database, of its connection pools, and of the external services that were checked. */
function healthOf(t: Texts, { engine, answeredIn, pools, outside }: ServiceState) {
  return [
    { what: t.engines[engine], answer: t.works(answeredIn), isGood: true, mend: null },
    ...pools.map(({ pool, busy, idle, waiting }) => ({
      what: t.pool(pool),
      answer: t.connections(busy, idle, waiting),
      isGood: waiting === 0,
      mend: null,
    })),
    ...outside.map(({ what, mend, ms, problem }) => ({
      what,
      answer: problem === null ? t.works(ms) : t.fails(clip(problem, 200)),
      isGood: problem === null,
      mend: problem === null ? null : mend,
    })),
  ]
}

function figuresView(language: Language, { title, columns, rows }: ServiceFigures): Html {
  const say = (text: PageText): string => text[language] ?? text.en
  const shown = (kind: ServiceFigures['columns'][number]['kind'], value: string | number | undefined): Child =>
    kind === 'bytes' ? sizeText(language, Number(value)) : value
  return html`<h2>${say(title)}</h2>
    ${table(
      say(title),
      rows,
      columns.map((column, n) => ({ title: say(column.title), cell: row => shown(column.kind, row[n]) })),
    )}`
}
