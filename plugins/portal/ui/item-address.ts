import { html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { addressOf } from './form.ts'

export const ITEM = '/projects/:key/items/:number'

/** Returns the path of an item page. @param ref `KEY#n` @param key the project as named in the current URL, possibly with its owner */
export function itemAddress(key: string, ref: string): string {
  const [own = '', number = ''] = ref.split('#')
  // Related items may belong to another project of the same owner.
  const owner = key.includes('/') && !own.includes('/') ? key.slice(0, key.lastIndexOf('/') + 1) : ''
  return addressOf(ITEM, { key: owner + own, number })
}

/** Renders the title of an item as a link to its page, for pages of a project. */
export function itemLink(
  { params }: Pick<Visit, 'params'>,
  { ref, title }: { readonly ref: string; readonly title: string },
): Html {
  return html`<a href="${itemAddress(params['key']!, ref)}">${title}</a>`
}

/** Returns the reference of the item that a URL names. */
export function refIn({ key, number }: Readonly<Record<string, string>>): string {
  return `${key}#${number}`
}
