import { callTool } from 'tasuki/plugin'
import { typeName } from '../../items/index.ts'
import { definePage, defineTexts, html, itemAddress, queryForm, queryProblem } from '../../portal/index.ts'
import type { Html, UserVisit } from '../../portal/index.ts'
import { stateName } from '../../workflows/index.ts'
import type { ItemHit } from '../ranking/items.ts'
import { query } from '../tools/query.ts'

const texts = defineTexts(
  {
    title: 'Search',
    clear: 'Clear',
    hint: 'Words, a number such as APP#12, and filters such as label:bug is:open',
    nothing: 'Nothing found.',
    most: (shown: number) => `Showing the best ${shown}. Use more words or a filter to see others.`,
  },
  {
    ja: {
      title: '検索',
      clear: 'クリア',
      hint: '言葉、APP#12 のような番号、label:bug is:open のような条件で検索できます。',
      nothing: '見つかりませんでした。',
      most: shown => `上位${shown}件を表示しています。ほかは言葉や条件を足すと表示できます。`,
    },
  },
)

const PATH = '/search'
const MOST = 30

/** Searches the items of all projects of the user. */
export const searchPage = definePage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'main', rank: 15 },
  async load({ query: { q: given = '' }, read, language }) {
    const q = given.trim()
    const none = { q, problem: null, hits: [] as readonly ItemHit[], more: false }
    if (q === '') return none
    try {
      const found = await read(ctx => callTool(query, ctx, { q, mode: 'hybrid', limit: MOST }))
      return { ...none, hits: found.items ?? [], more: found.next_cursor !== null }
    } catch (error) {
      return { ...none, problem: queryProblem(language, error) }
    }
  },
  view(visit, { q, problem, hits, more }) {
    const { title, nothing, most, ...form } = texts(visit.language)
    return html`<h1>${title}</h1>
      ${queryForm(PATH, { ...form, q, problem, label: title, submit: title })}
      ${q !== '' && problem === null && hits.length === 0 && html`<p class="quiet">${nothing}</p>`}
      ${hits.map(hit => hitView(visit, hit))} ${more && html`<p class="quiet">${most(hits.length)}</p>`}`
  },
})

function hitView({ language }: UserVisit, { ref, type, title, status, snippet = '' }: ItemHit): Html {
  const kind = type === 'task' ? stateName(language, status) : typeName(language, type)
  const parts = snippet.split(/«([^«»]+)»/)
  const text = parts.map((part, n) => (n % 2 === 1 ? html`<mark>${part}</mark>` : part))
  return html`<article class="card">
    <h2><a href="${itemAddress(ref.split('#')[0]!, ref)}">${title}</a></h2>
    <p class="quiet"><code>${ref}</code> ${kind}</p>
    ${!['', title].includes(parts.join('')) && html`<p>${text}</p>`}
  </article>`
}
