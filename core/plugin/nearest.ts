/** Orders words by how few edits they are from `word`, nearest first. */
export function byNearness(word: string, words: readonly string[]): readonly string[] {
  const short = word.slice(0, 64)
  return words
    .map(candidate => ({ candidate, distance: editDistance(short, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate)
}

/** The word that was probably meant; null when none is close. */
export function nearest(word: string, words: readonly string[]): string | null {
  const [best] = byNearness(word, words)
  if (best === undefined) return null
  const close = best.startsWith(word) || word.startsWith(best)
  return close || editDistance(word.slice(0, 64), best) <= Math.max(1, Math.floor(best.length / 3)) ? best : null
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let best = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1))
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) best = Math.min(best, beforeLast[column - 2]! + 1)
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
