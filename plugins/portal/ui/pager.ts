import { html, type Html } from '../html.ts'
import { defineTexts } from '../language.ts'
import type { Visit } from '../visit.ts'

const texts = defineTexts(
  { pages: 'Pages', newer: 'Previous', older: 'Next' },
  { ja: { pages: 'ページ', newer: '前へ', older: '次へ' } },
)

/** Returns the offset of the page in a query; invalid values mean the first page. */
export function offsetOf(query: Readonly<Record<string, string | undefined>>): number {
  const from = Number(query['from'])
  return Number.isInteger(from) && from > 0 ? Math.min(from, 1_000_000) : 0
}

/** Renders links to the previous and next page; nothing for a single page. */
export function pager(
  { language }: Visit,
  options: {
    readonly path: string
    readonly query?: Readonly<Record<string, string | undefined>>
    readonly offset: number
    readonly size: number
    readonly more: boolean
  },
): Html | false {
  const { path, query = {}, offset, size, more } = options
  const t = texts(language)
  if (offset === 0 && !more) return false
  const to = (from: number): string => addressWith(path, { ...query, from: from > 0 ? String(from) : undefined })
  return html`<nav class="tabs" aria-label="${t.pages}">
    <ul>
      ${offset > 0 && html`<li><a href="${to(offset - size)}" rel="prev">${t.newer}</a></li>`}
      ${more && html`<li><a href="${to(offset + size)}" rel="next">${t.older}</a></li>`}
    </ul>
  </nav>`
}

/** Returns a path with a query of the defined values. */
export function addressWith(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`
}
