/** The form in which names are compared: NFKC, without spaces around it, lower case. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}
