import { normalizeText } from './normalize-text.ts'

/** Returns the form in which names are compared: NFKC, trimmed, lower case. */
export function nameKey(name: string): string {
  return normalizeText(name).trim().toLowerCase()
}
