const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/**
 * Markdown for HTML tags; other tags are replaced by their content. `[^<>]` ends the search for a `>` that is missing at the next tag, and
 * what a lookahead has found is not looked for again.
 */
const TAGS: readonly (readonly [RegExp, string])[] = [
  [/<br\s*\/?>/gi, '\n'],
  [/<li\b(?=[^<>]*data-checked="true")[^<>]*>/gi, '- [x] '],
  [/<li\b(?=[^<>]*data-checked="false")[^<>]*>/gi, '- [ ] '],
  [/<li\b[^<>]*>\s*(?:<p\b[^<>]*>)?/gi, '- '],
  [/<h([1-6])\b[^<>]*>/gi, '\n# '],
  [/<\/?(?:strong|b)>/gi, '**'],
  [/<\/?(?:em|i)>/gi, '*'],
  [/<pre\b[^<>]*>(?:<code\b[^<>]*>)?/gi, '\n```\n'],
  [/(?:<\/code>)?<\/pre>/gi, '\n```\n'],
  [/<\/?code\b[^<>]*>/gi, '`'],
  [/<\/(?:li|ul|ol)>/gi, '\n'],
  [/<\/(?:p|h[1-6]|blockquote|div)>/gi, '\n\n'],
]

/** Converts HTML of rich-text editors to Markdown; text without tags stays unchanged. */
export function markdownOf(html: string): string {
  if (!/<\/?[a-z][^<>]*>/i.test(html)) return html
  const linked = html.replaceAll(/<a\b([^<>]*)>([^<]*)<\/a>/gi, (tag, attributes: string, text: string) => {
    const [, address] = /href="([^"]*)"/i.exec(attributes) ?? []
    return address === undefined ? tag : `[${text}](${address})`
  })
  return TAGS.reduce((text, [tag, mark]) => text.replaceAll(tag, mark), linked)
    .replaceAll(/<\/?[a-z][^<>]*>/gi, '')
    .replaceAll(/&(?:#(\d{1,7})|(\w{2,6}));/g, (all, code: string | undefined, name: string | undefined) =>
      code === undefined ? (ENTITIES[name!] ?? all) : String.fromCodePoint(Math.min(Number(code), 0x10ffff)),
    )
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
