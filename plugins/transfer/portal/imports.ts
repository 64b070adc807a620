import { limitReached, ToolError, uuid } from 'tasuki/plugin'
import {
  addressWith,
  defineForm,
  definePage,
  defineRedirect,
  fields,
  html,
  formatInstant,
  megabytes,
  pageLinks,
  Refusal,
  tableOr,
} from '../../portal/index.ts'
import { readProjects, roleIn } from '../../projects/index.ts'
import { parseContent } from '../content.ts'
import { OtherFile } from '../other-files.ts'
import { importFormats } from '../points.ts'
import { settings } from '../settings.ts'
import { insertUpload, readUploads } from '../upload.repository.ts'
import { importAddress, planFor } from './plan-upload.ts'
import { formatName, importTexts as texts } from './import-texts.ts'

const PATH = '/imports'
/** Form values that stand for a new project, and for a detected format. */
const [NEW, DETECT] = ['new', 'detect']

const uploadForm = defineForm({
  path: PATH,
  fields: {
    file: fields.file({ most: services => services.config(settings).upload_bytes }),
    project: fields.text({ max: 100 }),
    key: fields.text({ max: 100, optional: true }),
    name: fields.text({ max: 200, optional: true }),
    format: fields.text({ max: 100 }),
  },
  refusals: {
    en: {
      'invalid_argument file': '',
      'invalid_argument format': 'Choose the format that the file has, or export it again.',
      'limit_exceeded file': 'Finish or discard one of the imports below.',
      'invalid_argument project_key': 'Choose another project, or take it back from the archive.',
    },
    ja: {
      'invalid_argument file': 'このファイルは読み取れません。もう一度エクスポートするか、形式を選んでください。',
      'invalid_argument format': 'ファイルの形式が分かりません。形式を選ぶか、もう一度エクスポートしてください。',
      'limit_exceeded file':
        'インポート待ちのファイルが上限に達しています。下の一覧のどれかを完了するか破棄してください。',
      'invalid_argument project_key':
        'このプロジェクトには取り込めません。別のプロジェクトを選ぶか、アーカイブから戻してください。',
    },
  },
  async run(visit, { file, project: wanted, key, name, format: chosenFormat }) {
    const isNew = wanted === NEW
    const target = await visit.read(async ctx => {
      const project = isNew ? null : (await readProjects(ctx)).find(({ id }) => id === wanted)
      if (project === undefined)
        throw new ToolError('not_found', 'There is no such project.', { field: 'project', hint: 'Choose another one.' })
      return project
    })
    const choice = { format: chosenFormat === DETECT ? undefined : chosenFormat, columns: new Map() }
    const content = await parseContent(
      { all: visit.services.all, log: visit.request.log },
      { name: file.name, bytes: file.bytes },
      choice,
    ).catch((error: unknown) => {
      throw error instanceof OtherFile ? new Refusal({ file: texts(visit.language).others[error.kind] }) : error
    })
    const upload = {
      id: uuid(),
      filename: file.name,
      format: content.format,
      project_owner_id: target?.ownerId ?? null,
      project_id: target?.id ?? null,
      new_key: isNew ? key : null,
      new_name: isNew ? name || key : null,
      total: content.items.length,
    }
    // Rejects a project that accepts no items before the file is stored.
    await planFor(visit, { ...upload, states: {} }, content)
    const { open_uploads: most } = visit.services.config(settings)
    if (!(await visit.write(ctx => insertUpload(ctx, { ...upload, bytes: file.bytes }, most))))
      throw limitReached(most, 'files', { field: 'file', hint: texts(visit.language).busy(most) })
    return { to: importAddress(upload.id) }
  },
})

/** Import: uploads a file, and lists earlier imports. */
export const importsPage = definePage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 45 },
  forms: [uploadForm],
  load: ({ read }) =>
    read(async ctx => {
      const projects = await readProjects(ctx)
      const uploads = await readUploads(ctx)
      const formats = ctx.all(importFormats).map(({ name }) => name)
      const open = projects.filter(project => !project.archived && roleIn(ctx, project) !== 'viewer')
      return { projects: open, uploads, formats }
    }),
  view(visit, { projects, uploads, formats }) {
    const t = texts(visit.language)
    const { upload_bytes: bytes } = visit.services.config(settings)
    const names = formats.map(formatName)
    const chosen = projects.find(({ key }) => key === visit.query['project'])?.id ?? projects[0]?.id ?? NEW
    const sending = uploadForm.view(
      visit,
      form =>
        html`${form.file('file', {
            label: t.file,
            hint: t.fileHint(names.join(', '), megabytes(visit.language, bytes)),
          })}
          ${form.select('format', {
            label: t.format,
            value: DETECT,
            options: { [DETECT]: t.detected, ...Object.fromEntries(formats.map(name => [name, formatName(name)])) },
          })}
          ${form.select('project', {
            label: t.project,
            hint: t.projectHint,
            value: chosen,
            options: {
              ...Object.fromEntries(projects.map(project => [project.id, `${project.key} – ${project.name}`])),
              [NEW]: t.newProject,
            },
          })}
          <div class="columns">
            ${form.input('key', { label: t.newKey, hint: t.newKeyHint, optional: true, code: true })}
            ${form.input('name', { label: t.newName, optional: true })}
          </div>`,
      { submit: t.upload },
    )
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${sending}
      <h2>${t.earlier}</h2>
      ${tableOr(t.none, t.earlier, uploads, [
        { title: t.file, cell: row => html`<a href="${importAddress(row.id)}">${row.filename}</a>` },
        { title: t.format, cell: row => formatName(row.format) },
        { title: t.state, cell: row => t.states[row.state] },
        { title: t.at, cell: row => formatInstant(visit, row.created_at) },
      ])}`
  },
})

/** Project settings → Import: the page of all imports, with the project preselected. */
export const importIntoProject = defineRedirect({
  path: '/projects/:key/import',
  name: language => texts(language).title,
  menu: { place: 'project settings', rank: 79 },
  to: ({ params }) => addressWith(PATH, { project: params['key']! }),
})

/** On the project list. */
export const importOnProjects = pageLinks({
  page: '/projects',
  label: language => texts(language).link,
  to: () => PATH,
})
