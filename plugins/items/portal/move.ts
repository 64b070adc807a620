import type { ReadContext } from 'tasuki/plugin'
import {
  addressOf,
  addressWith,
  defineForm,
  definePage,
  defineTexts,
  fields,
  html,
  ITEM,
  itemAddress,
  keyInAddress,
  Redirect,
  refIn,
  table,
} from '../../portal/index.ts'
import type { Html, Language, UserVisit } from '../../portal/index.ts'
import { readProjects, requireProject, roleIn } from '../../projects/index.ts'
import { stateName } from '../../workflows/index.ts'
import { formatRef } from '../draft.ts'
import { requireItem } from '../find.ts'
import { moveItem, planMove, type Carried } from '../project-move.ts'
import { itemTexts, kindName } from './texts.ts'

const texts = defineTexts({
  title: { en: (ref: string) => `Move ${ref} to another project`, ja: ref => `${ref} を別のプロジェクトに移動` },
  lead: {
    en: 'The number stays, and old references and links keep working.',
    ja: '番号は変わりません。以前の参照とリンクも引き続き使えます。',
  },
  none: { en: 'There is no other project that you can move it to.', ja: '移動できる他のプロジェクトはありません。' },
  moved: {
    en: (ref: string) => `Item moved. It is ${ref} now.`,
    ja: ref => `移動しました。新しい参照は ${ref} です。`,
  },
  lossTitle: { en: (project: string) => `Not available in ${project}`, ja: project => `${project} にない情報` },
  lossText: {
    en: (project: string) => `${project} does not have the following. The item loses it; the history keeps the values.`,
    ja: project => `次の情報は ${project} にないため、移動すると失われます。値は変更履歴に残ります。`,
  },
  keptTitle: { en: 'Kept', ja: '引き継がれる情報' },
  field: { en: 'Field', ja: '情報' },
  now: { en: 'Current', ja: '現在' },
  after: { en: 'After the move', ja: '移動後' },
  removed: { en: 'Removed', ja: '削除' },
  moveAnyway: { en: 'Move anyway', ja: 'このまま移動' },
  other: { en: 'Choose another project', ja: '別のプロジェクトを選択' },
  folder: { en: 'Folder', ja: 'フォルダー' },
})

const PATH = `${ITEM}/move`

async function planOf(ctx: ReadContext, ref: string, key: string, { write }: { readonly write: boolean }) {
  const project = await requireProject(ctx, key, { write: true, field: 'to_project' })
  const item = await requireItem(ctx, ref, { write: true, lock: write && 'with workflows' })
  return planMove(ctx, [item], project, { lock: write })
}

const moveForm = defineForm({
  path: PATH,
  fields: { to_project: fields.text({ max: 300 }), agreed: fields.singleChoice(['yes', 'no']) },
  async run(visit, { to_project: key, agreed }) {
    const found = await visit.write(async ctx => {
      const plan = await planOf(ctx, refIn(visit.params), key, { write: true })
      const [{ draft, lost }] = plan.moves as readonly [(typeof plan.moves)[number]]
      if (lost.length > 0 && agreed === 'no') return null
      await moveItem(ctx, plan)
      return draft.ref
    })
    // Shows what would be lost before the move.
    if (found === null) return { to: addressWith(addressOf(PATH, visit.params), { to: key }) }
    return { to: itemAddress(visit.params['key']!, found), notice: texts(visit.language).moved(found) }
  },
})

/** Moves an item to another project of its owner. */
export const movePage = definePage({
  path: PATH,
  forms: [moveForm],
  load: visit =>
    visit.read(async ctx => {
      const item = await requireItem(ctx, refIn(visit.params), { write: true })
      const ref = formatRef(item)
      const projects = (await readProjects(ctx)).filter(
        project =>
          project.ownerId === item.ownerId &&
          project.id !== item.project.id &&
          !project.archived &&
          roleIn(ctx, project) !== 'viewer',
      )
      const { to } = visit.query
      if (to === undefined) return { ref, projects, plan: null }
      const plan = await planOf(ctx, refIn(visit.params), to, { write: false })
      if (item.project.id === plan.project.id) return new Redirect(itemAddress(visit.params['key']!, ref))
      return { ref, projects, plan: { to, key: plan.project.key, ...plan.moves[0]! } }
    }),
  title: ({ language }, { ref }) => texts(language).title(ref),
  view(visit, { ref, projects, plan }) {
    const t = texts(visit.language)
    const head = html`<p class="quiet"><a href="${addressOf(ITEM, visit.params)}">${ref}</a></p>
      <h1>${t.title(ref)}</h1>
      <p class="lead">${t.lead}</p>`
    if (plan) {
      const { to, key, mapped, lost } = plan
      return html`${head}
      ${
        lost.length > 0 &&
        html`<h2>${t.lossTitle(key)}</h2>
          <p>${t.lossText(key)}</p>
          ${renderCarried(visit, t.lossTitle(key), lost)}`
      }
      ${
        mapped.length > 0 &&
        html`<h2>${t.keptTitle}</h2>
          ${renderCarried(visit, t.keptTitle, mapped)}`
      }
      ${moveForm.view(
        visit,
        form =>
          html`${form.hidden('to_project', to)}${form.hidden('agreed', 'yes')}
            <p class="actions">
              ${form.submit(lost.length > 0 ? t.moveAnyway : t.move, lost.length > 0 ? { kind: 'danger' } : {})}
              <a class="button plain" href="${addressOf(PATH, visit.params)}">${t.other}</a>
            </p>`,
      )}`
    }
    if (projects.length === 0)
      return html`${head}
        <p>${t.none}</p>`
    return html`${head}
    ${moveForm.view(
      visit,
      form =>
        html`${form.select('to_project', {
          label: t.project,
          options: Object.fromEntries(
            projects.map(project => [keyInAddress(visit, project), `${project.key} – ${project.name}`]),
          ),
        })}
        ${form.hidden('agreed', 'no')}`,
      { submit: t.move },
    )}`
  },
})

function renderCarried(visit: UserVisit, caption: string, fields: readonly Carried[]): Html {
  const t = texts(visit.language)
  return table(caption, fields, [
    { title: t.field, cell: ({ field }) => nameOf(visit.language, field) },
    { title: t.now, cell: ({ field, from }) => formatValue(visit.language, field, from) },
    { title: t.after, cell: ({ field, to }) => (to === null ? t.removed : formatValue(visit.language, field, to)) },
  ])
}

function formatValue(language: Language, field: string, value: unknown): string {
  if (field === 'status') return stateName(language, String(value))
  if (field === 'kind') return kindName(language, String(value))
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** Returns the label of a field on the item page; custom fields use their own key. */
function nameOf(language: Language, field: string): string {
  const t = itemTexts(language)
  const names: Readonly<Record<string, string>> = {
    status: t.state,
    kind: t.kind,
    labels: t.labels,
    area: t.area,
    sprint: t.sprint,
    version: t.version,
    estimate: t.estimate,
    folder: texts(language).folder,
  }
  return names[field] ?? field.replace(/^custom_fields\./, '')
}
