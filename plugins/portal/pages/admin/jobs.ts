import { text } from '../../fields.ts'
import { html } from '../../html.ts'
import { defineForm, definePage } from '../../page.ts'
import { formView } from '../../ui/form.ts'
import { instant, table, tableOr } from '../../ui/parts.ts'
import { idOf } from '../../visit.ts'
import { adminTexts as texts } from './texts.ts'

const PATH = '/settings/jobs'

const retryForm = defineForm({
  path: `${PATH}/:id/retry`,
  fields: { name: text({ max: 200 }) },
  async run({ services, params, language, write }, { name }) {
    const id = idOf(params)
    await write(ctx => services.administration.retryJob(ctx, { id, name }))
    return { to: PATH, notice: texts(language).retried }
  },
})

/** Administration → Jobs: background jobs and their failures. */
export const jobsPage = definePage({
  path: PATH,
  menu: { place: 'settings', rank: 84, label: language => texts(language).jobs },
  administrators: true,
  wide: true,
  forms: [retryForm],
  load: ({ services, asSystem }) => asSystem(ctx => services.administration.jobs(ctx)),
  title: ({ language }) => texts(language).jobs,
  view(visit, { counts, failed }) {
    const t = texts(visit.language)
    return html`<h1>${t.jobs}</h1>
      <p class="lead">${t.jobsLead}</p>
      <h2>${t.failures}</h2>
      ${tableOr(t.none, t.failures, failed, [
        { title: t.job, cell: row => html`<code>${row.name}</code>` },
        { title: t.at, cell: row => instant(visit, row.at) },
        { title: t.error, cell: row => row.error },
        {
          title: t.action,
          cell: row =>
            formView(
              visit,
              retryForm,
              { id: row.id },
              form => html`${form.hidden('name', row.name)}${form.submit(t.retry, { kind: 'plain', about: row.name })}`,
              { inline: true },
            ),
        },
      ])}
      <h2>${t.jobs}</h2>
      ${table(t.jobs, counts, [
        { title: t.job, cell: row => html`<code>${row.name}</code>` },
        { title: t.waiting, cell: row => row.waiting },
        { title: t.active, cell: row => row.active },
        { title: t.failed, cell: row => row.failed },
        { title: t.lastDone, cell: row => instant(visit, row.lastDone) },
      ])}`
  },
})
