import { tokens } from './tokens.ts'

/** What the database's text vectors can hold, below its limit of one megabyte. */
const BYTES_MAX = 900_000
/** Positions that the database keeps of one token, and the highest position that it knows. */
const POSITIONS_MAX = 255
const POSITION_MAX = 16_383

/** A text vector in the database's notation: the title with weight A, the body with weight D. */
export function textVector(title: string, body: string): string {
  const found = new Map<string, string[]>()
  let bytes = 0
  let last = 0
  const add = (text: string, position: number, weight: string): boolean => {
    let positions = found.get(text)
    if (!positions) {
      bytes += 12 + 4 * text.length
      positions = []
      found.set(text, positions)
    }
    if (positions.length < POSITIONS_MAX) {
      positions.push(`${Math.min(position, POSITION_MAX)}${weight}`)
      bytes += 2
    }
    return bytes < BYTES_MAX
  }
  for (const { text, position } of tokens(title)) {
    last = position
    if (!add(text, position, 'A')) break
  }
  // The gap keeps phrases from matching across title and body.
  for (const { text, position } of tokens(body, last + 1)) if (!add(text, position, '')) break
  // Tokens have letters, marks and digits only, so that quotes suffice.
  return Array.from(found, ([text, positions]) => `'${text}':${positions.join(',')}`).join(' ')
}
