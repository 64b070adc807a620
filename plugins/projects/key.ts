import { reference } from 'tasuki/plugin'

/** The built-in project that every user has. */
export const INBOX = 'INBOX'
/** What keys look like. */
export const KEY_PATTERN = '^[A-Z][A-Z0-9_]{0,15}$'

/** The `project_key` parameter. */
export const projectKey = (description = 'Project key.') => reference(description)

/** The key alone, as it is stored, of a project that the caller may name by its owner. */
export function bareKey({ key }: { readonly key: string }): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

/** Splits `owner@example.com/KEY`; keys are upper case, and people type them in any case and width. */
export function readKey(text: string): { readonly key: string; readonly owner: string | null } {
  const plain = text.normalize('NFKC').trim()
  const slash = plain.lastIndexOf('/')
  return {
    key: plain.slice(slash + 1).toUpperCase(),
    owner: slash < 0 ? null : plain.slice(0, slash).toLowerCase(),
  }
}
