import createMarkdown, { type Token } from 'markdown-it'

/** Markdown of users without raw HTML; URLs become links. */
const markdown = createMarkdown({ html: false, linkify: true })

markdown.core.ruler.push('portal', ({ tokens, env }) => {
  const levels = [...new Set(tokens.flatMap(({ type, tag }) => (type === 'heading_open' ? [tag] : [])))].toSorted()
  const { top } = env as { top: number }
  let above = top - 1
  for (const [n, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      // Headings start below the page's heading and never skip a level.
      above = Math.min(top + levels.indexOf(token.tag), above + 1, 6)
      token.tag = `h${above}`
    } else if (token.type === 'heading_close') token.tag = `h${above}`
    if (token.type === 'th_open' || token.type === 'td_open') alignByClass(token)
    if (tokens[n - 2]?.type === 'list_item_open' && token.type === 'inline') showCheckbox(tokens[n - 2]!, token)
    for (const child of token.children ?? [])
      if (child.type === 'link_open') child.attrSet('rel', 'noopener noreferrer')
  }
  // Short link definitions that are used often can multiply the size of the output.
  const attributes = tokens.flatMap(({ children }) => (children ?? []).flatMap(({ attrs }) => attrs ?? []))
  const length = attributes.reduce((sum, [, value]) => sum + String(value).length, 0)
  if (length > MAX_ADDRESSES_LENGTH) throw new Error(`the addresses of its links have ${length} characters`)
})

/** Shows `[ ]` and `[x]` at the start of a list item as on code hosts. */
function showCheckbox(item: Token, { children }: Token): void {
  const [, mark, rest] = /^\[([ xX])\] (.*)/s.exec(children?.[0]?.content ?? '') ?? []
  if (mark === undefined || children![0]!.type !== 'text') return
  children![0]!.content = `${mark === ' ' ? '☐' : '☑'} ${rest}`
  item.attrSet('class', 'task')
}

/** Maximum total length of the URLs in a text, in characters. */
const MAX_ADDRESSES_LENGTH = 1_000_000

/** The content security policy forbids style attributes. */
function alignByClass(token: Token): void {
  const align = /text-align:(\w+)/.exec(String(token.attrGet('style')))?.[1]
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
  if (align) token.attrSet('class', align)
}

// External images would reveal the reader to their server, and the policy blocks them, so they become links.
markdown.renderer.rules['image'] = (tokens, n) => {
  const { content } = tokens[n]!
  const address = String(tokens[n]!.attrGet('src') ?? '')
  const { escapeHtml } = markdown.utils
  return `<a href="${escapeHtml(address)}" rel="noopener noreferrer">${escapeHtml(content || address)}</a>`
}
markdown.renderer.rules['table_open'] = () => '<div class="scroll" tabindex="0"><table>'
markdown.renderer.rules['table_close'] = () => '</table></div>'
markdown.renderer.rules['fence'] = (tokens, n) =>
  `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[n]!.content)}</code></pre>`

/** Renders Markdown of users. @param top level of its highest heading @throws Error if the links make it too long */
export function renderMarkdown(text: string, top: 2 | 3): string {
  return markdown.render(text, { top })
}
