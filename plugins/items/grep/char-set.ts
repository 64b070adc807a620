/** Code points as sorted ranges that neither touch nor overlap, both ends included. */
export type CharSet = readonly (readonly [first: number, last: number])[]

const LAST = 0x10ffff
export const EVERY_CHARACTER: CharSet = [[0, LAST]]

/** Case folding is skipped for sets with more code points than this. */
const FOLD_MAX = 30_000
const HAS_CASE = /\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u
/** Non-ASCII letters that RE2 treats as equal to an ASCII letter when it ignores case. */
const ODD_FOLDS: readonly (readonly [ascii: string, odd: number])[] = [
  ['K', 0x212a],
  ['S', 0x17f],
]

export function charSet(ranges: CharSet): CharSet {
  const merged: [number, number][] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1)
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else merged.push([first, last])
  }
  return merged
}

export function complement(set: CharSet): CharSet {
  const gaps: [number, number][] = []
  let next = 0
  for (const [first, last] of set) {
    if (first > next) gaps.push([next, first - 1])
    next = last + 1
  }
  if (next <= LAST) gaps.push([next, LAST])
  return gaps
}

/**
 * Adds the characters that RE2 treats as equal when it ignores case; null when they are not certain. Only ASCII letters are certain: RE2,
 * JavaScript and the database use different Unicode versions.
 */
export function addCaseVariants(set: CharSet): CharSet | null {
  const added: [number, number][] = []
  let looked = 0
  for (const [first, last] of set) {
    const foreign = Math.max(first, 0x80)
    looked += Math.max(0, last - foreign + 1)
    if (looked > FOLD_MAX) return null
    for (let code = foreign; code <= last; code++) if (HAS_CASE.test(String.fromCodePoint(code))) return null
    for (let code = first; code <= Math.min(last, 0x7f); code++) {
      const letter = String.fromCharCode(code)
      const other = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
      if (other !== letter) added.push([other.charCodeAt(0), other.charCodeAt(0)])
      for (const [ascii, odd] of ODD_FOLDS) if (letter.toUpperCase() === ascii) added.push([odd, odd])
    }
  }
  return charSet([...set, ...added])
}
