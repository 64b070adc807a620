import { ToolError } from 'tasuki/plugin'

/** A position in a query during parsing. */
export interface Cursor {
  /** Code points as typed. */
  readonly characters: readonly string[]
  /** The same with full-width and curly forms folded to ASCII, for the recognition of syntax. */
  readonly syntax: readonly string[]
  /** Name of the text's parameter, for errors. */
  readonly field: string
  readonly reading: Reading | null
  index: number
  depth: number
  /** Number of terms read so far. */
  terms: number
}

/** How free text is read, which mostly contains no syntax even where it looks like it. */
export interface Reading {
  /** Returns whether a key belongs to a filter, or is a likely typo of one. */
  readonly isFilter: (key: string) => boolean
  /** Reads brackets and quotes as spaces, and operators as words. */
  readonly flat: boolean
  /** Collects texts that look like terms but are read as words. */
  readonly asWords: string[]
}

const SYNTAX_NOTE =
  'Terms are key:value, key:a,b (any of), key:>=value, key:from..to, "a phrase" or words; ' +
  'join them with spaces (and), OR, NOT or -, and parentheses. Quote a value that has spaces or one of , ( ) in it.'

/** Curly quotes, which NFKC does not fold. */
const CURLY_QUOTES = new Set(['“', '”', '„', '‟'])
const SPACE = /^\s$/u

export function createCursor(characters: readonly string[], field: string, reading: Reading | null): Cursor {
  const folded = characters.map(foldCharacter)
  const syntax = reading?.flat ? folded.map(each => (/[()"]/.test(each) ? ' ' : each)) : folded
  return { characters, syntax, field, reading, index: 0, depth: 0, terms: 0 }
}

function foldCharacter(character: string): string {
  if (character <= '\x7f') return character
  if (CURLY_QUOTES.has(character)) return '"'
  const normal = character.normalize('NFKC')
  // A character that expands to several (… or ㍿) is text, never syntax.
  return normal.length === 1 ? normal : character
}

/** Returns the next character, folded; empty at the end. */
export function peek(cursor: Cursor, ahead = 0): string {
  return cursor.syntax[cursor.index + ahead] ?? ''
}

/** Returns the position of the next character, counted in code points from 1. */
export function position(cursor: Cursor): number {
  return cursor.index + 1
}

/** Returns the original text from `start` to the cursor. */
export function textFrom(cursor: Cursor, start: number): string {
  return cursor.characters.slice(start, cursor.index).join('')
}

export function skipSpaces(cursor: Cursor): void {
  while (SPACE.test(peek(cursor))) cursor.index++
}

/** Returns true where a bare word ends. */
export function isAtBreak(cursor: Cursor, ahead = 0): boolean {
  const next = peek(cursor, ahead)
  return next === '' || next === '(' || next === ')' || next === '"' || SPACE.test(next)
}

export function isAtWord(cursor: Cursor, word: string): boolean {
  if (cursor.reading?.flat) return false
  for (let n = 0; n < word.length; n++) if (peek(cursor, n) !== word[n]) return false
  return isAtBreak(cursor, word.length)
}

export function takeWord(cursor: Cursor, word: string): boolean {
  if (!isAtWord(cursor, word)) return false
  cursor.index += word.length
  return true
}

/** Consumes a minus directly before a term; a standalone minus is a word. */
export function takeMinus(cursor: Cursor): boolean {
  const next = peek(cursor, 1)
  if (peek(cursor) !== '-' || next === '' || next === ')' || SPACE.test(next)) return false
  // `->` and `--force` are text.
  if (cursor.reading && /[^\p{L}\p{N}\p{So}"(]/u.test(next)) return false
  cursor.index++
  return true
}

/** Reads a quoted text including its closing quote; `\"` and `\\` stand for the character itself, as do other quotes. */
export function takeQuoted(cursor: Cursor): string {
  const open = position(cursor)
  // Text in straight quotes may contain curly ones.
  const curly = CURLY_QUOTES.has(cursor.characters[cursor.index] ?? '')
  const text: string[] = []
  for (cursor.index++; cursor.index < cursor.characters.length; cursor.index++) {
    const character = cursor.characters[cursor.index] ?? ''
    const next = cursor.characters[cursor.index + 1]
    if (character === '\\' && next !== undefined && (next === '\\' || peek(cursor, 1) === '"')) {
      text.push(next)
      cursor.index++
    } else if (peek(cursor) === '"' && (curly || !CURLY_QUOTES.has(character))) {
      cursor.index++
      return text.join('')
    } else {
      text.push(character)
    }
  }
  return refuse(cursor, `The quote at character ${open} is not closed`, 'a closing "')
}

/** @throws ToolError `invalid_query` at the cursor, or at `index`, with a short syntax reference */
export function refuse(
  cursor: Cursor,
  problem: string,
  expected: string,
  more: { readonly hint?: string; readonly index?: number } = {},
): never {
  const at = (more.index ?? cursor.index) + 1
  throw new ToolError('invalid_query', `${problem} (character ${at}); expected ${expected}`, {
    field: cursor.field,
    hint: more.hint === undefined ? SYNTAX_NOTE : `${more.hint} ${SYNTAX_NOTE}`,
    details: { position: at, expected },
  })
}
