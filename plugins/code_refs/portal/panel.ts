import { callTool, type ReadContext } from 'tasuki/plugin'
import { defineTexts, html, instant, itemPanels } from '../../portal/index.ts'
import { codeRefsGet } from '../tools/code_refs_get.ts'

const texts = defineTexts({ title: 'Code' }, { ja: { title: 'コード' } })

async function readCodeRefs(ctx: ReadContext, ref: string) {
  return (await callTool(codeRefsGet, ctx, { item_ref: ref })).code_refs
}
type CodeRef = Awaited<ReturnType<typeof readCodeRefs>>[number]

export const codePanel = itemPanels<readonly CodeRef[]>({
  rank: 50,
  load: (ctx, { ref }) => readCodeRefs(ctx, ref),
  view(visit, _item, refs) {
    if (refs.length === 0) return null
    return html`<h2>${texts(visit.language).title}</h2>
      <ul class="rows">
        ${refs.map(
          ref =>
            html`<li>
              ${
                /^https?:\/\//.test(ref.url)
                  ? html`<a href="${ref.url}" rel="noopener noreferrer">${ref.title}</a>`
                  : ref.title
              }
              <span class="quiet"
                ><code>${ref.kind === 'commit' ? ref.id.slice(0, 10) : `#${ref.id}`}</code> ${ref.repository}
                ${ref.author} ${ref.state && html`<span class="tag">${ref.state}</span>`}
                ${instant(visit, ref.occurred_at)}</span
              >
            </li>`,
        )}
      </ul>`
  },
})
