import { charSet, complement, EVERY_CHARACTER, addCaseVariants, type CharSet } from './char-set.ts'

/**
 * The texts that a regular expression matches: at least all that RE2 accepts, sometimes more. Anchors and word boundaries are left out, and
 * an uncertain class stands for every character.
 */
export type Regex =
  | { readonly kind: 'char'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly parts: readonly Regex[] }
  | { readonly kind: 'choice'; readonly parts: readonly Regex[] }
  /** `max` null = any number of times. */
  | { readonly kind: 'repeat'; readonly part: Regex; readonly min: number; readonly max: number | null }

interface Reader {
  readonly characters: readonly string[]
  index: number
  ignoreCase: boolean
  depth: number
  /** Set when the reader meets unsupported syntax. */
  unknown: boolean
}

const MAX_DEPTH = 100
const NOTHING: Regex = { kind: 'sequence', parts: [] }
const ANYTHING: Regex = { kind: 'char', set: EVERY_CHARACTER }
const DIGITS = charSet([[0x30, 0x39]])
const WORD = charSet([...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]])
const WHITESPACE = charSet([
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
])
const PERL_CLASSES: Readonly<Record<string, CharSet>> = { d: DIGITS, w: WORD, s: WHITESPACE }
const CONTROLS: Readonly<Record<string, number>> = { a: 7, t: 9, n: 10, v: 11, f: 12, r: 13 }
const REPEAT = /^\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/

/** Reads a pattern that RE2 has accepted; null when it has unsupported parts. */
export function readRegex(pattern: string, ignoreCase: boolean): Regex | null {
  const reader: Reader = { characters: Array.from(pattern), index: 0, ignoreCase, depth: 0, unknown: false }
  const regex = readChoice(reader)
  return reader.unknown || reader.index < reader.characters.length ? null : regex
}

/** Returns true when the regular expression matches or may match the empty text. */
export function mayBeEmpty(regex: Regex): boolean {
  switch (regex.kind) {
    case 'char':
      return false
    case 'sequence':
      return regex.parts.every(mayBeEmpty)
    case 'choice':
      return regex.parts.some(mayBeEmpty)
    case 'repeat':
      return regex.min === 0 || mayBeEmpty(regex.part)
  }
}

function readChoice(reader: Reader): Regex {
  const parts = [readSequence(reader)]
  while (accept(reader, '|')) parts.push(readSequence(reader))
  return parts.length === 1 ? parts[0]! : { kind: 'choice', parts }
}

function readSequence(reader: Reader): Regex {
  const parts: Regex[] = []
  while (!reader.unknown && !['', '|', ')'].includes(peek(reader))) {
    const repeat = takeRepeat(reader)
    if (!repeat) {
      parts.push(...readAtoms(reader))
      continue
    }
    const part = parts.pop()
    if (part) parts.push({ kind: 'repeat', part, ...repeat })
    else markUnknown(reader)
  }
  return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }
}

/** Reads the next atoms; empty for syntax that matches no character. A repetition applies to the last atom. */
function readAtoms(reader: Reader): readonly Regex[] {
  const character = next(reader)
  switch (character) {
    case '.':
      return [ANYTHING]
    case '^':
    case '$':
      return [NOTHING]
    case '[':
      return [readClass(reader)]
    case '(':
      return readGroup(reader)
    case '\\':
      return readEscape(reader)
    default:
      return [literal(reader, character.codePointAt(0) ?? 0)]
  }
}

function readGroup(reader: Reader): readonly Regex[] {
  const outside = reader.ignoreCase
  const head = reader.characters.slice(reader.index, reader.index + 80).join('')
  const name = /^\?P?<\w+>/.exec(head)
  const flags = /^\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(head)
  if (name) {
    reader.index += name[0].length
  } else if (flags) {
    reader.index += flags[0].length
    if (flags[1]?.includes('i')) reader.ignoreCase = true
    if (flags[2]?.includes('i')) reader.ignoreCase = false
    // Without a colon the flags hold until the enclosing group ends.
    if (flags[3] === ')') return []
  } else if (peek(reader) === '?') {
    return markUnknown(reader)
  }
  if (++reader.depth > MAX_DEPTH) return markUnknown(reader)
  const inside = readChoice(reader)
  reader.depth--
  reader.ignoreCase = outside
  return accept(reader, ')') ? [inside] : markUnknown(reader)
}

function readEscape(reader: Reader): readonly Regex[] {
  const letter = peek(reader)
  if ('AzbB'.includes(letter) && letter !== '') {
    reader.index++
    return [NOTHING]
  }
  if (letter === 'Q') {
    reader.index++
    return readQuoted(reader)
  }
  const set = takeClassEscape(reader)
  if (set) return [{ kind: 'char', set: set.set }]
  const code = readCodeEscape(reader)
  return code === null ? markUnknown(reader) : [literal(reader, code)]
}

/** `\Q…\E` */
function readQuoted(reader: Reader): readonly Regex[] {
  const literals: Regex[] = []
  while (peek(reader) !== '') {
    const character = next(reader)
    if (character === '\\' && accept(reader, 'E')) break
    literals.push(literal(reader, character.codePointAt(0) ?? 0))
  }
  return literals
}

interface Class {
  readonly set: CharSet
  /** False when the set may contain more characters than RE2's. */
  readonly exact: boolean
}
const UNKNOWN_CLASS: Class = { set: EVERY_CHARACTER, exact: false }

function readClass(reader: Reader): Regex {
  const negated = accept(reader, '^')
  const members: Class[] = []
  // A bracket in first position is a member.
  while (!reader.unknown && (members.length === 0 || peek(reader) !== ']')) {
    if (peek(reader) === '') markUnknown(reader)
    else members.push(readMember(reader))
  }
  reader.index++
  const exact = members.every(member => member.exact)
  const set = charSet(members.flatMap(member => member.set))
  if (!negated) return { kind: 'char', set }
  return exact ? { kind: 'char', set: complement(set) } : ANYTHING
}

function readMember(reader: Reader): Class {
  if (peek(reader) === '[' && peek(reader, 1) === ':') {
    const rest = reader.characters.slice(reader.index).join('')
    const end = rest.indexOf(':]')
    if (end >= 0) {
      reader.index += Array.from(rest.slice(0, end + 2)).length
      return UNKNOWN_CLASS
    }
  }
  if (peek(reader) === '\\') {
    reader.index++
    const set = takeClassEscape(reader)
    if (set) return set
    reader.index--
  }
  const first = readMemberCode(reader)
  const isRange = peek(reader) === '-' && peek(reader, 1) !== ']' && peek(reader, 1) !== ''
  if (isRange) reader.index++
  const last = isRange ? readMemberCode(reader) : first
  return foldCase(reader, [[first, last]])
}

function readMemberCode(reader: Reader): number {
  const character = next(reader)
  if (character !== '\\') return character.codePointAt(0) ?? 0
  const code = readCodeEscape(reader)
  if (code === null) markUnknown(reader)
  return code ?? 0
}

/** `\d`, `\pL` and similar, after the backslash. */
function takeClassEscape(reader: Reader): Class | null {
  const letter = peek(reader)
  const perl = PERL_CLASSES[letter.toLowerCase()]
  if (perl) {
    reader.index++
    const members = foldCase(reader, perl)
    return letter === letter.toLowerCase() ? members : { ...members, set: complement(members.set) }
  }
  if (letter !== 'p' && letter !== 'P') return null
  reader.index++
  if (next(reader) === '{') while (!['', '}'].includes(next(reader)));
  return UNKNOWN_CLASS
}

/** Reads the code point of an escape, after the backslash; null when the escape is not supported. */
function readCodeEscape(reader: Reader): number | null {
  const rest = reader.characters.slice(reader.index, reader.index + 12).join('')
  const hex = /^x(?:\{([\da-f]+)\}|([\da-f]{2}))/i.exec(rest)
  const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest)
  if (hex || octal) {
    reader.index += (hex ?? octal)![0].length
    return hex ? Number.parseInt(hex[1] ?? hex[2] ?? '', 16) : Number.parseInt(octal![0], 8)
  }
  const character = next(reader)
  if (character in CONTROLS) return CONTROLS[character] ?? null
  return /^[!-/:-@[-`{-~ ]$/.test(character) ? character.charCodeAt(0) : null
}

function literal(reader: Reader, code: number): Regex {
  return { kind: 'char', set: foldCase(reader, [[code, code]]).set }
}

function foldCase(reader: Reader, set: CharSet): Class {
  if (!reader.ignoreCase) return { set, exact: true }
  const every = addCaseVariants(set)
  return every ? { set: every, exact: true } : UNKNOWN_CLASS
}

function takeRepeat(reader: Reader): { min: number; max: number | null } | null {
  const repeat = readRepeat(reader)
  // Greediness does not change what matches.
  if (repeat) accept(reader, '?')
  return repeat
}

function readRepeat(reader: Reader): { min: number; max: number | null } | null {
  if (accept(reader, '*')) return { min: 0, max: null }
  if (accept(reader, '+')) return { min: 1, max: null }
  if (accept(reader, '?')) return { min: 0, max: 1 }
  if (peek(reader) !== '{') return null
  const counts = REPEAT.exec(reader.characters.slice(reader.index, reader.index + 12).join(''))
  if (!counts) return null
  reader.index += counts[0].length
  const min = Number(counts[1])
  if (counts[2] === undefined) return { min, max: min }
  return { min, max: counts[3] === undefined ? null : Number(counts[3]) }
}

function markUnknown(reader: Reader): readonly Regex[] {
  reader.unknown = true
  return [NOTHING]
}

function peek(reader: Reader, ahead = 0): string {
  return reader.characters[reader.index + ahead] ?? ''
}

function next(reader: Reader): string {
  return reader.characters[reader.index++] ?? ''
}

function accept(reader: Reader, character: string): boolean {
  if (peek(reader) !== character) return false
  reader.index++
  return true
}
