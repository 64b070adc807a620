import type { TestHost } from 'tasuki/testing'
import { portalForms, portalPages } from '../../../plugins/portal/points.ts'
import type { Browser, Page } from './portal-host.ts'

/** A form of a page that is posted. */
export interface FoundForm {
  readonly page: string
  readonly address: string
  /** What it sends as it stands; several of one name are all there. */
  readonly fields: readonly (readonly [string, string])[]
}

export interface Crawl {
  /** What each address answered. */
  readonly pages: ReadonlyMap<string, Page>
  readonly forms: readonly FoundForm[]
}

/** Addresses of the same page that are opened, at most. */
const ALIKE = 4

/** Follows the links of all pages of the portal. @param starts addresses that no page leads to */
export const crawl = (
  host: Pick<TestHost, 'registry'>,
  browser: Pick<Browser, 'get'>,
  starts: readonly string[],
): Promise<Crawl> => crawlPages(pagePaths(host), browser, starts)

/** Follows the links of pages. @param paths of all pages, with their parameters @param starts addresses that no page leads to */
export async function crawlPages(
  paths: readonly string[],
  browser: Pick<Browser, 'get'>,
  starts: readonly string[],
): Promise<Crawl> {
  const pages = new Map<string, Page>()
  const forms = new Map<string, FoundForm>()
  const alike = new Map<string, number>()
  const waiting = [...starts]
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    // Another language would be that of all pages that follow.
    if (pages.has(address) || address.startsWith('/language/')) continue
    const kind = kindIn(paths, address)
    const count = alike.get(kind) ?? 0
    if (count >= ALIKE && !starts.includes(address)) continue
    alike.set(kind, count + 1)
    const page = await browser.get(address)
    pages.set(address, page)
    if (page.location !== undefined) waiting.push(page.location.replace(/^http:\/\/localhost:\d+/, ''))
    for (const form of formsOf(page.text, address)) if (!forms.has(form.address)) forms.set(form.address, form)
    for (const [, link] of page.text.matchAll(/<a\s[^>]*?href="(\/[^"#]*)/g)) waiting.push(unescape(link!))
  }
  return { pages, forms: [...forms.values()] }
}

/** Paths of all forms that plugins bring. */
export function formPaths({ registry }: Pick<TestHost, 'registry'>): readonly string[] {
  const own = registry.all(portalPages).flatMap(({ forms = [] }) => forms.map(({ path }) => path))
  return [...own, ...registry.all(portalForms).map(({ form }) => form.path), '/sign-out']
}

/** Whether an address is one of a path with parameters. */
export function fits(path: string, address: string): boolean {
  const pattern = path.replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${pattern}$`).test(address.split('?', 1)[0]!)
}

/** Paths of all pages that plugins bring. */
export const pagePaths = ({ registry }: Pick<TestHost, 'registry'>): readonly string[] =>
  registry.all(portalPages).map(({ path }) => path)

/** What addresses of the same page have in common. */
export const kindOf = (host: Pick<TestHost, 'registry'>, address: string): string => kindIn(pagePaths(host), address)

function kindIn(paths: readonly string[], address: string): string {
  const [path, query = ''] = address.split('?')
  return `${paths.find(each => fits(each, path!)) ?? path!.replace(/[0-9a-f]{8}-[^/]+/, ':id')}?${[...new URLSearchParams(query).keys()].join()}`
}

function formsOf(text: string, page: string): readonly FoundForm[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(([, head, content]) => {
    const { method, action } = attributesOf(head!)
    if (method?.toLowerCase() !== 'post') return []
    const fields = [...content!.matchAll(/<(input|textarea|select|button)\b([^>]*)>/g)].flatMap(([, kind, more]) => {
      const { name, value = '', type, checked } = attributesOf(more!)
      const ticked = (type !== 'radio' && type !== 'checkbox') || checked !== undefined
      return name !== undefined && ticked ? [[name, kind === 'input' || kind === 'button' ? value : ''] as const] : []
    })
    return [{ page, address: action ?? page, fields }]
  })
}

function attributesOf(text: string): Partial<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [name!, unescape(value)]),
  )
}

/** Text of markup. */
export function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
