const MOST_COMPARED = 64

/** The known name that a misspelt one most likely means; undefined when none is close. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MOST_COMPARED) return undefined
  const wanted = name.toLowerCase().replaceAll('-', '_')
  let best: string | undefined
  let bestDistance = Math.max(2, Math.ceil(wanted.length / 3)) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** Levenshtein distance. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
