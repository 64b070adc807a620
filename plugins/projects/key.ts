import { normalizeText, reference } from 'tasuki/plugin'

/** The key of the built-in project of every user. */
export const INBOX = 'INBOX'
/** The pattern of project keys. */
export const KEY_PATTERN = '^[A-Z][A-Z0-9_]{0,15}$'

/** Returns the `project_key` parameter. */
export const projectKey = (description = 'Project key.') => reference(description)

/** Returns the stored key of a project, without the owner's prefix. */
export function bareKey({ key }: { readonly key: string }): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

/** Splits `owner@example.com/KEY`. Accepts keys in any case and width; stored keys are upper case. */
export function readKey(text: string): { readonly key: string; readonly owner: string | null } {
  const plain = normalizeText(text).trim()
  const slash = plain.lastIndexOf('/')
  return { key: plain.slice(slash + 1).toUpperCase(), owner: slash < 0 ? null : plain.slice(0, slash).toLowerCase() }
}
