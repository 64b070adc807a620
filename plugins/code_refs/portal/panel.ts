import { callTool } from 'tasuki/plugin'
import {
  defineItemForm,
  defineTexts,
  disclosure,
  fields,
  html,
  formatInstant,
  ITEM,
  itemPanels,
} from '../../portal/index.ts'
import { codeRefsGet } from '../tools/code_refs_get.ts'
import { addUrl, removeUrl, type CodeRef } from '../url.ts'

const texts = defineTexts(
  { title: 'Code and links', name: 'Title', add: 'Add link', more: 'Add a link' },
  { ja: { title: 'コードとリンク', name: 'タイトル', add: 'リンクを追加', more: 'リンクを追加' } },
)

const LINKS = `${ITEM}#links`

/** Adds a URL to the item of the page. */
export const addForm = defineItemForm({
  path: `${ITEM}/links`,
  to: LINKS,
  fields: { url: fields.text({ max: 2000 }), title: fields.text({ max: 300, optional: true }) },
  refusals: {
    en: {
      'invalid_argument url': 'Give an address that begins with https:// or http://.',
      'limit_exceeded url': 'This item has as many links as are allowed. Remove one first.',
    },
    ja: {
      'invalid_argument url': 'https:// または http:// で始まるアドレスを入力してください。',
      'limit_exceeded url': 'リンクの数が上限に達しました。先に別のリンクを削除してください。',
    },
  },
  run: (ctx, ref, { url, title }) => addUrl(ctx, ref, url, title || null),
})

/** Removes a URL from the item of the page. */
export const removeForm = defineItemForm({
  path: `${ITEM}/links/remove`,
  to: LINKS,
  fields: { url: fields.text({ max: 2000 }) },
  run: (ctx, ref, { url }) => removeUrl(ctx, ref, url),
})

export const codePanel = itemPanels<readonly CodeRef[]>({
  rank: 50,
  load: async (ctx, { ref }) => (await callTool(codeRefsGet, ctx, { item_ref: ref })).code_refs,
  view(visit, { role }, refs) {
    const t = texts(visit.language)
    if (refs.length === 0 && role === 'viewer') return null
    return html`<h2 id="links">${t.title}</h2>
      <ul class="rows">
        ${refs.map(
          ref =>
            html`<li>
              ${
                /^https?:\/\//.test(ref.url)
                  ? html`<a href="${ref.url}" rel="noopener noreferrer">${ref.title}</a>`
                  : html`<bdi>${ref.title}</bdi>`
              }
              <span class="quiet"
                >${ref.kind !== 'link' && html`<code>${ref.kind === 'commit' ? ref.id.slice(0, 10) : `#${ref.id}`}</code>`}
                ${ref.repository} <bdi>${ref.author}</bdi> ${ref.state && html`<span class="tag">${ref.state}</span>`}
                ${formatInstant(visit, ref.occurred_at)}</span
              >
              ${
                ref.added &&
                role !== 'viewer' &&
                removeForm.button(visit, t.remove, { values: { url: ref.url }, kind: 'plain', about: ref.title })
              }
            </li>`,
        )}
      </ul>
      ${
        role !== 'viewer' &&
        disclosure(
          visit,
          t.more,
          addForm.view(
            visit,
            form =>
              html`${form.input('url', { label: t.address, code: true })}
              ${form.input('title', { label: t.name, optional: true })}`,
            { submit: t.add },
          ),
        )
      }`
  },
})
