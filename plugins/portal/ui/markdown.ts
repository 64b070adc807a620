import createMarkdown, { type Token } from 'markdown-it'
import { Html } from '../html.ts'

/** Text of users is Markdown without HTML of its own; links are made of what looks like one. */
const markdown = createMarkdown({ html: false, linkify: true })

/** Headings of a text stand below those of the page that shows it. */
const BELOW = 2

markdown.core.ruler.push('portal', ({ tokens }) => {
  for (const token of tokens) {
    if (token.type === 'heading_open' || token.type === 'heading_close')
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + BELOW)}`
    if (token.type === 'th_open' || token.type === 'td_open') alignByClass(token)
    for (const child of token.children ?? [])
      if (child.type === 'link_open') child.attrSet('rel', 'noopener noreferrer')
  }
})

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

/** Markdown of users as markup. */
export function markdownView(text: string): Html {
  return Html.trusted(`<div class="prose">${markdown.render(text)}</div>`)
}
