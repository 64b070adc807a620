import { complement, type CharSet } from './char-set.ts'
import type { Regex } from './regex-syntax.ts'

/** Returns the text that a regular expression matches if it matches one fixed text only. */
export function findFixedText(regex: Regex): string | null {
  if (regex.kind === 'char') {
    const [range, another] = regex.set
    return range && !another && range[0] === range[1] && range[0] !== 0 ? String.fromCodePoint(range[0]) : null
  }
  if (regex.kind !== 'sequence') return null
  const parts = regex.parts.map(findFixedText)
  return parts.includes(null) ? null : parts.join('')
}

/**
 * Translates the regular expression into PostgreSQL's syntax, for texts without NUL. Large repetition counts are relaxed to keep the
 * automaton small, so the result may match more texts, never fewer.
 */
export function postgresRegex(regex: Regex): string {
  switch (regex.kind) {
    case 'char':
      return characters(regex.set)
    case 'sequence':
      return regex.parts.map(part => (part.kind === 'choice' ? group(part) : postgresRegex(part))).join('')
    case 'choice':
      return regex.parts.map(postgresRegex).join('|')
    case 'repeat':
      return repetition(regex)
  }
}

const EXACT_COUNT_MAX = 16

function repetition({ part, min, max }: Extract<Regex, { kind: 'repeat' }>): string {
  const inner = postgresRegex(part)
  if (inner === '') return ''
  const atom = part.kind === 'char' ? inner : `(?:${inner})`
  if (min === 0) return atom + (max === 1 ? '?' : '*')
  if (min === 1 && max === 1) return atom
  // Counts of groups multiply the size of the automaton; counts of characters only add to it.
  if (min === 1 || min > EXACT_COUNT_MAX || part.kind !== 'char') return `${atom}+`
  return `${atom}{${min}${max === min ? '' : ','}}`
}

const group = (regex: Regex): string => `(?:${postgresRegex(regex)})`

function characters(set: CharSet): string {
  const [range, another] = set
  if (range && !another && range[0] === range[1]) return character(range[0])
  const others = complement(set)
  if (others.length === 0 || set.length === 0) return '.'
  return others.length < set.length ? `[^${ranges(others)}]` : `[${ranges(set)}]`
}

function ranges(set: CharSet): string {
  return set
    .map(([first, last]) => (first === last ? character(first) : `${character(first)}-${character(last)}`))
    .join('')
}

/** Letters, digits and emoji stay; all else is escaped, so that nothing is read as syntax. */
function character(code: number): string {
  // Neither stored texts nor parameters can contain NUL.
  const shown = Math.max(code, 1)
  const plain = /^[\p{L}\p{N}\p{Extended_Pictographic}]$/u.test(String.fromCodePoint(shown))
  if (plain) return String.fromCodePoint(shown)
  const hex = shown.toString(16)
  return shown > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}
