import { text } from '../../fields.ts'
import { html } from '../../html.ts'
import { defineForm } from '../../page.ts'
import { formatInstant, table, tableOr } from '../../ui/parts.ts'
import { idOf } from '../../visit.ts'
import { defineAdministrationPage } from './page.ts'
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
export const jobsPage = defineAdministrationPage({
  path: PATH,
  name: 'jobs',
  rank: 84,
  forms: [retryForm],
  load: ({ services, asSystem }) => asSystem(ctx => services.administration.jobs(ctx)),
  view(visit, { counts, failed }) {
    const t = texts(visit.language)
    return html`<h1>${t.jobs}</h1>
      <p class="lead">${t.jobsLead}</p>
      <h2>${t.failures}</h2>
      ${tableOr(t.none, t.failures, failed, [
        { title: t.job, cell: row => html`<code>${row.name}</code>` },
        { title: t.at, cell: row => formatInstant(visit, row.at) },
        { title: t.error, cell: row => row.error },
        {
          title: t.action,
          cell: row =>
            retryForm.button(visit, t.retry, {
              params: { id: row.id },
              values: { name: row.name },
              kind: 'plain',
              about: row.name,
            }),
        },
      ])}
      <h2>${t.jobs}</h2>
      ${table(t.jobs, counts, [
        { title: t.job, cell: row => html`<code>${row.name}</code>` },
        { title: t.waiting, cell: row => row.waiting },
        { title: t.active, cell: row => row.active },
        { title: t.failed, cell: row => row.failed },
        { title: t.lastDone, cell: row => formatInstant(visit, row.lastDone) },
      ])}`
  },
})
