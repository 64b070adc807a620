import type { TestHost } from 'tasuki/testing'
import { portalForms, portalPages } from '../../../plugins/portal/points.ts'
import type { Browser, Page } from './portal-host.ts'

/** A POST form of a page. */
export interface FoundForm {
  readonly page: string
  readonly address: string
  /** The current values of its fields; a name may occur several times. */
  readonly fields: readonly (readonly [string, string])[]
}

export interface Crawl {
  /** The answer of each address. */
  readonly pages: ReadonlyMap<string, Page>
  readonly forms: readonly FoundForm[]
}

/** Maximum number of addresses of one page that are opened. */
const ALIKE = 4

/** Follows the links of all pages of the portal. @param starts addresses without incoming links */
export const crawl = (
  host: Pick<TestHost, 'registry'>,
  browser: Pick<Browser, 'get'>,
  starts: readonly string[],
): Promise<Crawl> => crawlPages(pagePaths(host), browser, starts)

/** Follows the links of pages. @param paths of all pages, with their parameters @param starts addresses without incoming links */
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
    // Changing the language would affect all later pages.
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

/** Returns the paths of all forms of plugins. */
export function formPaths({ registry }: Pick<TestHost, 'registry'>): readonly string[] {
  const own = registry.all(portalPages).flatMap(({ forms = [] }) => forms.map(({ path }) => path))
  return [...own, ...registry.all(portalForms).map(({ form }) => form.path), '/sign-out']
}

/** Tells whether an address matches a path with parameters. */
export function fits(path: string, address: string): boolean {
  const pattern = path.replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${pattern}$`).test(address.split('?', 1)[0]!)
}

/** Returns the paths of all pages of plugins. */
export const pagePaths = ({ registry }: Pick<TestHost, 'registry'>): readonly string[] =>
  registry.all(portalPages).map(({ path }) => path)

/** Returns the path that is common to all addresses of a page. */
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

/** Decodes the entities of HTML text. */
export function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
