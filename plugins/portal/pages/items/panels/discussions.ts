import { callTool } from 'tasuki/plugin'
import { discussionsCreate, discussionsList, type Discussion } from '../../../../discussions/index.ts'
import { oneOf, text } from '../../../fields.ts'
import { html, type Html } from '../../../html.ts'
import { defineForm, definePage } from '../../../page.ts'
import { itemPanels, portalForms, portalPages } from '../../../points.ts'
import { addressOf, formView } from '../../../ui/form.ts'
import { markdownView } from '../../../ui/markdown.ts'
import { offsetOf, pager } from '../../../ui/pager.ts'
import { instant } from '../../../ui/parts.ts'
import type { UserVisit } from '../../../visit.ts'
import { ITEM, refIn } from '../../../ui/item-address.ts'
import { itemTexts } from '../texts.ts'

const PATH = `${ITEM}/comments`
/** Comments on a page; the page of the item shows as many at most. */
const PAGE = 30

const commentForm = defineForm({
  path: PATH,
  fields: { body: text({ max: 32_000 }), kind: oneOf(['progress', 'decision', 'fact']) },
  async run(visit, { body, kind }) {
    await visit.write(ctx => callTool(discussionsCreate, ctx, { item_ref: refIn(visit.params), body, kind }))
    return { to: addressOf(ITEM, visit.params), notice: itemTexts(visit.language).commented }
  },
})

const panel = itemPanels<readonly Discussion[]>({
  rank: 40,
  load: (_ctx, { sections }) => (sections['discussions'] ?? []) as readonly Discussion[],
  view(visit, { role }, discussions) {
    const t = itemTexts(visit.language)
    return html`<h2>${t.discussions}</h2>
      ${discussions.length === 0 && html`<p class="quiet">${t.noComments}</p>`} ${commentList(visit, discussions)}
      ${discussions.length >= PAGE && html`<p><a href="${addressOf(PATH, visit.params)}">${t.allComments}</a></p>`}
      ${
        role !== 'viewer' &&
        formView(
          visit,
          commentForm,
          visit.params,
          form =>
            html`${form.area('body', { label: t.comment, rows: 3 })}
              ${form.select('kind', { label: t.kindOfComment, value: 'progress', options: t.discussionKinds })}
              <p class="actions">${form.submit(t.addComment)}</p>`,
        )
      }`
  },
})

const commentsPage = definePage({
  path: PATH,
  load: ({ params, query, read }) =>
    read(async ctx => {
      const offset = offsetOf(query)
      const ref = refIn(params)
      const page = await callTool(discussionsList, ctx, { item_ref: ref, limit: PAGE, offset })
      return { ref, offset, discussions: page.discussions, more: page.has_more }
    }),
  title: ({ language }, { ref }) => `${itemTexts(language).discussions} – ${ref}`,
  view(visit, { ref, offset, discussions, more }) {
    const path = addressOf(PATH, visit.params)
    return html`<p class="quiet"><a href="${addressOf(ITEM, visit.params)}">${ref}</a></p>
      <h1>${itemTexts(visit.language).discussions}</h1>
      ${commentList(visit, discussions)} ${pager(visit, { path, offset, size: PAGE, more })}`
  },
})

export const discussionsPanel = [panel, portalForms({ page: ITEM, form: commentForm }), portalPages(commentsPage)]

function commentList(visit: UserVisit, discussions: readonly Discussion[]): readonly Html[] {
  const t = itemTexts(visit.language)
  return discussions.map(
    ({ author, kind, body, created_at: at }) =>
      html`<article class="card">
        <p class="quiet">${author} · ${instant(visit, at)} <span class="tag">${t.discussionKinds[kind]}</span></p>
        ${markdownView(body, 3)}
      </article>`,
  )
}
