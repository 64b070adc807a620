import createMarkdown, { type Token } from 'markdown-it'

/** Text of users is Markdown without HTML of its own; links are made of what looks like one. */
const markdown = createMarkdown({ html: false, linkify: true })

markdown.core.ruler.push('portal', ({ tokens, env }) => {
  const levels = [...new Set(tokens.flatMap(({ type, tag }) => (type === 'heading_open' ? [tag] : [])))].toSorted()
  const { top } = env as { top: number }
  let above = top - 1
  for (const token of tokens) {
    if (token.type === 'heading_open') {
      // Below the heading of the page, and without a step left out, however the text counts.
      above = Math.min(top + levels.indexOf(token.tag), above + 1, 6)
      token.tag = `h${above}`
    } else if (token.type === 'heading_close') token.tag = `h${above}`
    if (token.type === 'th_open' || token.type === 'td_open') alignByClass(token)
    for (const child of token.children ?? [])
      if (child.type === 'link_open') child.attrSet('rel', 'noopener noreferrer')
  }
  const length = tokens.reduce((sum, { children }) => sum + addressLength(children ?? []), 0)
  if (length > LONGEST_ADDRESSES) throw new Error(`the addresses of its links have ${length} characters`)
})

/** Short definitions used often make addresses many times as long as the text. */
function addressLength(tokens: readonly Token[]): number {
  const attributes = tokens.flatMap(({ attrs }) => attrs ?? [])
  return attributes.reduce((sum, [, value]) => sum + String(value).length, 0)
}

/** Characters of the addresses of all links of a text. */
const LONGEST_ADDRESSES = 1_000_000

/** The policy of the pages forbids style attributes. */
function alignByClass(token: Token): void {
  const align = /text-align:(\w+)/.exec(String(token.attrGet('style')))?.[1]
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
  if (align) token.attrSet('class', align)
}

// Pictures from elsewhere would tell their server who reads; the policy blocks them, so there is a link.
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

/** Markdown of users as markup. @param top level of its highest heading @throws Error where links make it too long */
export function renderMarkdown(text: string, top: 2 | 3): string {
  return markdown.render(text, { top })
}
