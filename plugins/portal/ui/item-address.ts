import { addressOf } from './form.ts'

export const ITEM = '/projects/:key/items/:number'

/** The page of an item. @param ref `KEY#n` @param key the project as the address of this page names it, which may be by its owner */
export function itemAddress(key: string, ref: string): string {
  const [own = '', number = ''] = ref.split('#')
  // Items that hang on this one may be of another project of the same owner.
  const owner = key.includes('/') && !own.includes('/') ? key.slice(0, key.lastIndexOf('/') + 1) : ''
  return addressOf(ITEM, { key: owner + own, number })
}

/** The reference of the item that an address names. */
export function refIn({ key, number }: Readonly<Record<string, string>>): string {
  return `${key}#${number}`
}
