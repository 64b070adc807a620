import {
  defineProjectForm,
  defineProjectPage,
  descriptionList,
  fields,
  html,
  mergeShown,
  shownValues,
} from '../../portal/index.ts'
import type { PageProject } from '../../portal/index.ts'
import { updateProject } from '../write.ts'
import { texts } from './general-texts.ts'

const PATH = '/projects/:key/settings'

const saveForm = defineProjectForm({
  path: PATH,
  fields: {
    name: fields.text({ max: 120 }),
    description: fields.text({ max: 2000, optional: true }),
    estimate_unit: fields.singleChoice(['none', 'points', 'hours']),
    shown: shownValues(),
  },
  run(ctx, project, { shown, ...entered }, visit) {
    const values = { shown, stored: storedValues(project), entered }
    const { units } = texts(visit.language)
    const {
      name,
      description,
      estimate_unit: estimateUnit,
    } = mergeShown(visit, values, (value, field) => (field === 'estimate_unit' ? units[project.estimateUnit] : value))
    return updateProject(ctx, project, { name, description, estimateUnit })
  },
  notice: language => texts(language).saved,
})

const storedValues = ({ name, description, estimateUnit }: PageProject) => ({
  name,
  description: description ?? '',
  estimate_unit: estimateUnit,
})

const archiveForm = defineProjectForm({
  path: '/projects/:key/archive',
  fields: { archived: fields.singleChoice(['yes', 'no']) },
  refusals: {
    en: { 'invalid_argument archived': '' },
    ja: { 'invalid_argument archived': 'INBOX はアーカイブできません。' },
  },
  to: PATH,
  run: (ctx, project, { archived }) => updateProject(ctx, project, { archived: archived === 'yes' }),
  notice: (language, { archived }) => texts(language)[archived === 'yes' ? 'archived' : 'restored'],
})

/** Project settings → General. */
export const generalPage = defineProjectPage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'project settings', rank: 10 },
  forms: [saveForm, archiveForm],
  view(visit, { project, role }) {
    const t = texts(visit.language)
    const { name, description, estimateUnit, isInbox, archived } = project
    if (role !== 'owner')
      return html`<h1>${name}</h1>
        <p>${description}</p>
        ${descriptionList([[t.unit, t.units[estimateUnit]]])}
        <p class="quiet">${t.guest}</p>`
    return html`<h1>${t.title}</h1>
      ${saveForm.view(
        visit,
        form =>
          html`${form.shown(storedValues(project))} ${form.input('name', { label: t.name, value: name })}
          ${form.area('description', { label: t.description, value: description ?? '', rows: 3, optional: true })}
          ${form.radios('estimate_unit', { label: t.unit, value: estimateUnit, options: t.units })}`,
        { submit: t.save },
      )}
      ${
        !isInbox &&
        html`<h2>${archived ? t.restore : t.archive}</h2>
          ${!archived && html`<p>${t.archiveText}</p>`}
          ${archiveForm.button(visit, archived ? t.restore : t.archive, { values: { archived: archived ? 'no' : 'yes' }, kind: archived ? 'plain' : 'danger', inline: false })}`
      }`
  },
})
