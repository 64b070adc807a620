import {
  addressOf,
  defineForm,
  definePage,
  defineRefusals,
  defineTexts,
  fields,
  formView,
  html,
  ownProject,
  readSubject,
} from '../../portal/index.ts'
import { updateProject } from '../write.ts'

const texts = defineTexts(
  {
    title: 'General',
    name: 'Name',
    description: 'Description',
    unit: 'Unit of estimates',
    units: { none: 'No estimates', points: 'Points', hours: 'Hours' },
    save: 'Save',
    saved: 'Saved.',
    archive: 'Archive project',
    archiveText: 'Its items stay and can be read. The project is no longer listed.',
    archived: 'Project archived.',
    restore: 'Restore project',
    restored: 'Project restored.',
    guest: 'Only the owner of the project can change this.',
  },
  {
    ja: {
      title: '基本',
      name: '名前',
      description: '説明',
      unit: '見積もりの単位',
      units: { none: '見積もりなし', points: 'ポイント', hours: '時間' },
      save: '保存',
      saved: '保存しました。',
      archive: 'プロジェクトをアーカイブ',
      archiveText: 'タスクとノートは残り、閲覧できます。プロジェクトは一覧に表示されなくなります。',
      archived: 'プロジェクトをアーカイブしました。',
      restore: 'プロジェクトを元に戻す',
      restored: 'プロジェクトを元に戻しました。',
      guest: '変更できるのはプロジェクトの所有者だけです。',
    },
  },
)

const PATH = '/projects/:key/settings'

const saveForm = defineForm({
  path: PATH,
  fields: {
    name: fields.text({ max: 120 }),
    description: fields.text({ max: 2000, optional: true }),
    estimate_unit: fields.oneOf(['none', 'points', 'hours']),
  },
  async run(visit, { name, description, estimate_unit: estimateUnit }) {
    await visit.write(async ctx =>
      updateProject(ctx, await ownProject(ctx, visit), { name, description, estimateUnit }),
    )
    return { to: addressOf(PATH, visit.params), notice: texts(visit.language).saved }
  },
})

const archiveRefusals = defineRefusals(
  { 'invalid_argument archived': '' },
  { ja: { 'invalid_argument archived': 'INBOX はアーカイブできません。' } },
)

const archiveForm = defineForm({
  path: '/projects/:key/archive',
  fields: { archived: fields.oneOf(['yes', 'no']) },
  refusals: archiveRefusals,
  async run(visit, { archived }) {
    const t = texts(visit.language)
    await visit.write(async ctx => updateProject(ctx, await ownProject(ctx, visit), { archived: archived === 'yes' }))
    return { to: addressOf(PATH, visit.params), notice: archived === 'yes' ? t.archived : t.restored }
  },
})

/** Project settings → General. */
export const generalPage = definePage({
  path: PATH,
  menu: { place: 'project settings', rank: 10, label: language => texts(language).title },
  forms: [saveForm, archiveForm],
  load: visit => visit.read(ctx => readSubject(ctx, visit)),
  title: ({ language }, { project }) => `${texts(language).title} – ${project.key}`,
  view(visit, { project, role }) {
    const t = texts(visit.language)
    const { name, description, estimateUnit, isInbox, archived } = project
    if (role !== 'owner') {
      return html`<h1>${name}</h1>
        <p>${description}</p>
        <dl>
          <dt>${t.unit}</dt>
          <dd>${t.units[estimateUnit]}</dd>
        </dl>
        <p class="quiet">${t.guest}</p>`
    }
    return html`<h1>${t.title}</h1>
      ${formView(
        visit,
        saveForm,
        visit.params,
        form =>
          html`${form.input('name', { label: t.name, value: name, maxlength: 120 })}
            ${form.area('description', { label: t.description, value: description ?? '', rows: 3, optional: true })}
            ${form.radios('estimate_unit', { label: t.unit, value: estimateUnit, options: t.units })}
            <p class="actions">${form.submit(t.save)}</p>`,
      )}
      ${
        !isInbox &&
        html`<h2>${archived ? t.restore : t.archive}</h2>
          ${!archived && html`<p>${t.archiveText}</p>`}
          ${formView(
            visit,
            archiveForm,
            visit.params,
            form =>
              html`${form.hidden('archived', archived ? 'no' : 'yes')}${form.submit(archived ? t.restore : t.archive, {
                kind: archived ? 'plain' : 'danger',
              })}`,
          )}`
      }`
  },
})
