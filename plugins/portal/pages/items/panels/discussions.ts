import { callTool } from 'tasuki/plugin'
import { discussionsCreate, type Discussion } from '../../../../discussions/index.ts'
import { oneOf, text } from '../../../fields.ts'
import { html } from '../../../html.ts'
import { defineForm } from '../../../page.ts'
import { itemPanels, portalForms } from '../../../points.ts'
import { addressOf, formView } from '../../../ui/form.ts'
import { markdownView } from '../../../ui/markdown.ts'
import { instant } from '../../../ui/parts.ts'
import { ITEM, refIn } from '../address.ts'
import { itemTexts } from '../texts.ts'

const commentForm = defineForm({
  path: `${ITEM}/comments`,
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
      ${discussions.length === 0 && html`<p class="quiet">${t.noComments}</p>`}
      ${discussions.map(
        ({ author, kind, body, created_at: at }) =>
          html`<article class="card">
            <p class="quiet">${author} · ${instant(visit, at)} <span class="tag">${t.discussionKinds[kind]}</span></p>
            ${markdownView(body, 3)}
          </article>`,
      )}
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

export const discussionsPanel = [panel, portalForms({ page: ITEM, form: commentForm })]
