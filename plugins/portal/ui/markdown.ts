import createMarkdown, { type Token } from 'markdown-it'
import { Html } from '../html.ts'

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

/** Markdown of users as markup. @param top level of its highest heading */
export function markdownView(text: string, top: 2 | 3): Html {
  return Html.trusted(`<div class="prose">${markdown.render(text, { top })}</div>`)
}
