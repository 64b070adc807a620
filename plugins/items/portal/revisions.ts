import { callTool } from 'tasuki/plugin'
import {
  addressOf,
  addressWith,
  attributes,
  defineItemForm,
  definePage,
  html,
  formatInstant,
  ITEM,
  readSubject,
  refIn,
  tableOr,
} from '../../portal/index.ts'
import type { Html, UserVisit } from '../../portal/index.ts'
import { listRevisions } from '../revision.repository.ts'
import { readRevision, restoreRevision } from '../revisions.ts'
import { itemsGet } from '../tools/items_get.ts'
import { diffView, hunksOf, type DiffLayout } from './diff.ts'
import { itemTexts } from './texts.ts'

const PATH = `${ITEM}/revisions`
const ONE = `${PATH}/:revision`
/** Maximum number of versions in the list. */
const MAX_REVISIONS = 100

/** The former versions of an item's text. */
export const revisionsPage = definePage({
  path: PATH,
  load: ({ params, read }) => read(ctx => listRevisions(ctx, refIn(params), MAX_REVISIONS)),
  title: visit => `${itemTexts(visit.language).revisions} – ${refIn(visit.params)}`,
  view(visit, revisions) {
    const t = itemTexts(visit.language)
    return html`<p class="quiet"><a href="${addressOf(ITEM, visit.params)}">${refIn(visit.params)}</a></p>
      <h1>${t.revisions}</h1>
      ${tableOr(t.noRevisions, t.revisions, revisions, [
        {
          title: t.version_of,
          cell: row =>
            html`<a href="${addressOf(ONE, { ...visit.params, revision: row.revision_id })}"
                >${formatInstant(visit, row.created_at)}</a
              ><br />${row.title}`,
        },
        { title: t.by, cell: row => row.by },
        { title: t.length, cell: row => new Intl.NumberFormat(visit.language).format(row.length) },
        { title: t.why, cell: row => row.note },
      ])}`
  },
})

const restoreForm = defineItemForm({
  path: `${ONE}/restore`,
  fields: {},
  run: (ctx, ref, _input, { params, language }) =>
    restoreRevision(ctx, ref, params['revision']!, itemTexts(language).restoredWhy),
  notice: language => itemTexts(language).restored,
})

/** Compares a former version with the current text. */
export const revisionPage = definePage({
  path: ONE,
  forms: [restoreForm],
  load: visit =>
    visit.read(async ctx => {
      const ref = refIn(visit.params)
      const { item_ref: shownRef, revision } = await readRevision(ctx, ref, visit.params['revision']!)
      const { item } = await callTool(itemsGet, ctx, { item_ref: ref })
      const { role } = await readSubject(ctx, visit)
      const detail = String(item['detail'] ?? '')
      const same = revision.body === detail
      const found = same ? null : await hunksOf(revision.body, detail)
      return { ref: shownRef, revision, role, title: String(item['title']), found }
    }),
  title: ({ language }, { ref }) => itemTexts(language).diff(ref),
  view(visit, { ref, revision, role, title, found }) {
    const t = itemTexts(visit.language)
    const restorable = role !== 'viewer' && (found !== null || revision.title !== title)
    const layout = visit.query['view'] === 'side' ? 'side' : 'unified'
    return html`<p class="quiet">
        <a href="${addressOf(ITEM, visit.params)}">${ref} ${title}</a> ·
        <a href="${addressOf(PATH, visit.params)}">${t.revisions}</a>
      </p>
      <h1>${t.diff(ref)}</h1>
      <p class="lead">${formatInstant(visit, revision.created_at)} – ${t.between}</p>
      ${revision.title !== title && html`<p>${t.oldTitle(revision.title)}</p>`}
      ${found ? html`${layoutMenu(visit, layout)}${diffView(visit, found, layout)}` : html`<p>${t.same}</p>`}
      ${
        restorable &&
        html`<p class="quiet">${t.restoreText}</p>
          ${restoreForm.button(visit, t.restore, { inline: false })}`
      }`
  },
})

function layoutMenu(visit: UserVisit, chosen: DiffLayout): Html {
  const t = itemTexts(visit.language)
  const here = addressOf(ONE, visit.params)
  const entries: readonly (readonly [DiffLayout, string, string])[] = [
    ['unified', t.unified, here],
    ['side', t.sideBySide, addressWith(here, { view: 'side' })],
  ]
  return html`<nav class="tabs when-wide" aria-label="${t.layout}">
    <ul>
      ${entries.map(([layout, label, href]) => html`<li><a ${attributes({ href, 'aria-current': layout === chosen ? 'page' : null })}>${label}</a></li>`)}
    </ul>
  </nav>`
}
