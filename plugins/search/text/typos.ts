/** How words are found that differ from a written one in one edit. Such a word begins or ends as that one does. */
export interface Typos {
  /** The first half of the word, and the second half backwards. */
  readonly head: string
  readonly tail: string
  /** A regular expression for words at a distance of one edit: one letter more, less or another, or two that changed places. */
  readonly near: string
}

/** Letters of a word that may have a typo: shorter ones are near to too many others. */
const [SHORTEST, LONGEST] = [4, 30]

/** Not for what is no word of letters, as numbers and hashes. */
export function mayBeMistyped(word: string): boolean {
  return word.length >= SHORTEST && word.length <= LONGEST && /^\p{L}+$/u.test(word)
}

export function typosOf(word: string): Typos | null {
  if (!mayBeMistyped(word)) return null
  const letters = Array.from(word)
  const half = letters.length >> 1
  // Two letters that changed places at the middle are in neither.
  const head = Math.max(half - 1, 1)
  const part = (from: number, to?: number): string => letters.slice(from, to).join('')
  const near: string[] = []
  for (let n = 0; n <= letters.length; n++) {
    near.push(`${part(0, n)}.${part(n)}`)
    if (n < letters.length) near.push(`${part(0, n)}.?${part(n + 1)}`)
    if (n + 1 < letters.length) near.push(`${part(0, n)}${letters[n + 1]!}${letters[n]!}${part(n + 2)}`)
  }
  return { head: part(0, head), tail: letters.slice(half).toReversed().join(''), near: `^(${near.join('|')})$` }
}
