/** The condition for words within one edit of a given one. Such a word has the same beginning or ending. */
export interface Typos {
  /** The first half of the word, and the second half reversed. */
  readonly head: string
  readonly tail: string
  /** A regular expression for words within one edit: an insertion, a deletion, a substitution or a transposition. */
  readonly near: string
}

/** Word lengths for typo correction: shorter words are close to too many others. */
const [SHORTEST, LONGEST] = [4, 30]

/** Excludes tokens other than words of letters, such as numbers and hashes. */
export function mayBeMistyped(word: string): boolean {
  return word.length >= SHORTEST && word.length <= LONGEST && /^\p{L}+$/u.test(word)
}

export function typosOf(word: string): Typos | null {
  if (!mayBeMistyped(word)) return null
  const letters = Array.from(word)
  const half = letters.length >> 1
  // Two transposed letters in the middle are in neither half.
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
