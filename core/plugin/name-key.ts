import { normalizeText } from './normalize-text.ts'

/** The form in which names are compared: NFKC, without spaces around it, lower case. */
export function nameKey(name: string): string {
  return normalizeText(name).trim().toLowerCase()
}
