import { ToolError } from 'tasuki/plugin'
import {
  addressOf,
  addressWith,
  definePage,
  descriptionList,
  html,
  idOf,
  keyInAddress,
  refusalText,
  sizeText,
} from '../../portal/index.ts'
import type { Html, UserVisit } from '../../portal/index.ts'
import { readProjects, type ListedProject } from '../../projects/index.ts'
import { importFormats } from '../points.ts'
import { findUpload, type UploadRow } from '../upload.repository.ts'
import { choiceOfUpload, contentOfUpload } from '../upload.service.ts'
import { requireUpload, optionsForm, startForm, stopForm } from './import-forms.ts'
import { importTexts as texts, formatName } from './import-texts.ts'
import { columnsView, itemsView, optionsView, partsView, remarksView, statesView, type Draft } from './plan-view.ts'
import { IMPORT, importAddress, planFor } from './plan-upload.ts'

/** Seconds until the page of a running import reloads. */
const REFRESH = 2

interface Data {
  readonly upload: UploadRow
  readonly project: ListedProject | undefined
  readonly formats: readonly { readonly name: string; readonly fields: readonly string[] }[]
  /** For an import that has not started: its plan, or why the file cannot be read. */
  readonly draft: Draft | ToolError | null
}

/** One import: its plan, progress and outcome. */
export const importPage = definePage<Data>({
  path: IMPORT,
  forms: [optionsForm, startForm, stopForm],
  async load(visit) {
    const id = idOf(visit.params)
    const { upload, project, formats } = await visit.read(async ctx => {
      const row = requireUpload(await findUpload(ctx, id))
      const projects = await readProjects(ctx)
      return {
        upload: row,
        project: projects.find(each => each.ownerId === row.project_owner_id && each.id === row.project_id),
        formats: ctx.all(importFormats).map(({ name, fields = [] }) => ({ name, fields })),
      }
    })
    if (upload.state === 'running' && visit.query['still'] === undefined && visit.request.method === 'GET')
      visit.reply.header('refresh', REFRESH)
    return { upload, project, formats, draft: upload.state === 'draft' ? await draftOf(visit, upload) : null }
  },
  title: ({ language }, { upload }) => texts(language).of(upload.filename),
  view(visit, data) {
    const { upload, project, draft } = data
    const t = texts(visit.language)
    const into = project ? `${project.key} – ${project.name}` : upload.new_key && `${upload.new_key} (${t.newProject})`
    return html`<h1>${t.of(upload.filename)}</h1>
      ${draft && html`<p class="lead">${t.nothingYet}</p>`}${into && descriptionList([[t.project, into]])}
      ${draft ? draftView(visit, data, draft) : resultView(visit, data)}`
  },
})

async function draftOf(visit: UserVisit, upload: UploadRow): Promise<Draft | ToolError> {
  try {
    const content = await visit.read(ctx => contentOfUpload(ctx, upload, choiceOfUpload(upload)))
    return { content, ...(await planFor(visit, upload, content)) }
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
}

function draftView(visit: UserVisit, { upload, formats }: Data, draft: Draft | ToolError): Html {
  const t = texts(visit.language)
  const discard = stopForm.button(visit, t.discard, { params: { id: upload.id }, kind: 'plain' })
  if (draft instanceof ToolError)
    return html`<p class="problem">${t.unreadable} ${refusalText(visit.language, draft)}</p>
      ${optionsView(visit, upload, formats, null)}
      <p class="actions">${discard}</p>`
  const { plan, content } = draft
  const problems = [...content.problems, ...plan.problems]
  return html`${descriptionList([
      [t.made, plan.created],
      [t.known, plan.known],
      [t.leftOutItems, plan.leftOut],
      [t.remarks, problems.length + content.more],
      [t.format, formatName(upload.format)],
      [t.size, sizeText(visit.language, upload.size)],
    ])}
    ${plan.created === 0 && html`<p>${t.nothing}</p>`}
    <div class="actions">
      ${plan.created > 0 && startForm.button(visit, t.start(plan.created), { params: { id: upload.id } })} ${discard}
    </div>
    ${content.items.length > 0 && itemsView(visit, draft)} ${columnsView(visit, draft)} ${statesView(visit, draft)}
    ${partsView(visit, draft)} ${optionsView(visit, upload, formats, draft)}
    <h2>${t.remarks}</h2>
    ${remarksView(visit, problems, content.more)}`
}

function resultView(visit: UserVisit, { upload, project }: Data): Html {
  const t = texts(visit.language)
  const { state, position, total, fault } = upload
  const done = position?.from ?? 0
  const all = Math.max(total, 1)
  const isRunning = state === 'running'
  const remarks = position ? position.problems.length + position.more : 0
  const address = importAddress(upload.id)
  const isStill = visit.query['still'] !== undefined
  const label = { running: t.running, done: t.done, failed: t.failed, cancelled: t.wasCancelled, draft: '' }[state]
  return html`<p>
      ${label}
      ${isRunning && html` <a href="${isStill ? address : addressWith(address, { still: '1' })}">${isStill ? t.moving : t.still}</a>`}
    </p>
    ${fault && html`<p class="problem">${refusalText(visit.language, new ToolError(fault.code, fault.message, fault))}</p>`}
    <p class="progress">
      <progress max="${all}" value="${state === 'done' ? all : done}" aria-label="${t.title}"></progress>
      <span>${t.progress(done, total)}</span>
    </p>
    ${
      position &&
      descriptionList([
        [t.imported, position.created],
        [t.known, position.known],
        [t.remarks, !isRunning && remarks],
      ])
    }
    <div class="actions">
      ${state === 'failed' && startForm.button(visit, t.goOn, { params: { id: upload.id } })}
      ${
        project &&
        !isRunning &&
        html`<a class="button" href="${addressOf('/projects/:key/board', { key: keyInAddress(visit, project) })}"
          >${t.toProject(project.key)}</a
        >`
      }
      ${stopForm.button(visit, isRunning ? t.cancel : t.remove, { params: { id: upload.id }, kind: isRunning ? 'danger' : 'plain' })}
    </div>
    ${
      position &&
      !isRunning &&
      html`<h2>${t.remarks}</h2>
        ${remarksView(visit, position.problems, position.more)}`
    }`
}
