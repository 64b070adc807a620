import { normalizeText } from './normalize-text.ts'

/** Returns the form in which names are compared: NFKC, trimmed, lower case. */
export function nameKey(name: string): string {
  return normalizeText(name).trim().toLowerCase()
}

/** Changes of a row with `name` and `name_key`, with the key of a new name. */
export function withNameKey<C extends { readonly name?: string | undefined }>(
  changes: C,
): C & { readonly name_key?: string } {
  return changes.name === undefined ? changes : { ...changes, name_key: nameKey(changes.name) }
}
