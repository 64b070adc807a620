import { distance } from 'fastest-levenshtein'

/** Sorts words by edit distance from `word`, nearest first. */
export function byNearness(word: string, words: readonly string[]): readonly string[] {
  const short = word.slice(0, 64)
  return words
    .map(candidate => ({ candidate, distance: editDistance(short, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate)
}

/** Returns the word that was probably meant; null if none is close, or the closest says the opposite. */
export function nearest(word: string, words: readonly string[]): string | null {
  const [best] = byNearness(word, words)
  if (best === undefined || word === '' || best === `un${word}` || word === `un${best}`) return null
  const close = best.startsWith(word) || word.startsWith(best)
  return close || editDistance(word.slice(0, 64), best) <= Math.max(1, Math.floor(best.length / 3)) ? best : null
}

/** Levenshtein distance (insertions, deletions and substitutions), where swapping two letters counts as one edit. */
export function editDistance(a: string, b: string): number {
  const edits = distance(a, b)
  return edits === 2 && sortLetters(a) === sortLetters(b) ? 1 : edits
}

const sortLetters = (word: string): string => Array.from(word).toSorted().join('')
