import { normalizeText, ToolError } from 'tasuki/plugin'
import {
  createCursor,
  isAtBreak,
  isAtWord,
  peek,
  position,
  refuse,
  skipSpaces,
  takeMinus,
  takeQuoted,
  takeWord,
  textFrom,
} from './cursor.ts'
import type { Cursor, Reading } from './cursor.ts'
import type { Expr, QueryOp, Term, TermRange, TermValue } from './expr.ts'

/** In code points. */
export const QUERY_MAX_LENGTH = 2000
export const QUERY_MAX_NESTING = 50
/** The database takes many seconds to plan a statement with several hundred joins. */
const QUERY_MAX_TERMS = 50

export const GRAMMAR = `query = all { "OR" all }
all = unary { ["AND"] unary }
unary = ["NOT" | "-"] ( "(" query ")" | term | quoted | word )
term = key ":" [ "=" | "!=" | "<" | "<=" | ">" | ">=" ] alternative { "," alternative }
alternative = value | [value] ".." [value]
value = quoted | bareword`

const KEY = /^[\p{L}_][\p{L}\p{N}_.-]*$/u

/**
 * Parses the filter language, in time linear in the length.
 * @param field name of the text's parameter, for the error
 * @param reading how free text is read; without it, the syntax is strict
 * @throws ToolError `invalid_query` with the position; `limit_exceeded` if the text is too long, nested too deeply or has too many terms
 */
export function parseQuery(text: string, field = 'q', reading: Reading | null = null): Expr {
  const characters = Array.from(text)
  if (characters.length > QUERY_MAX_LENGTH) {
    const message = `The query has ${characters.length} characters, more than ${QUERY_MAX_LENGTH}`
    throw new ToolError('limit_exceeded', message, { field, hint: 'Split it into several calls.' })
  }
  const cursor = createCursor(characters, field, reading)
  skipSpaces(cursor)
  if (peek(cursor) === '') return { kind: 'and', parts: [], at: 1 }
  const expr = parseAny(cursor)
  if (peek(cursor) !== '') refuse(cursor, '`)` closes nothing', 'a term or the end')
  return expr
}

function parseAny(cursor: Cursor): Expr {
  skipSpaces(cursor)
  const at = position(cursor)
  const first = parseAll(cursor)
  if (!isAtWord(cursor, 'OR')) return first
  const parts = [first]
  while (takeWord(cursor, 'OR')) parts.push(parseAll(cursor))
  return { kind: 'or', parts, at }
}

function parseAll(cursor: Cursor): Expr {
  skipSpaces(cursor)
  const at = position(cursor)
  const first = parseUnary(cursor)
  const parts = [first]
  for (;;) {
    skipSpaces(cursor)
    if (!takeWord(cursor, 'AND') && (peek(cursor) === '' || peek(cursor) === ')' || isAtWord(cursor, 'OR'))) break
    parts.push(parseUnary(cursor))
  }
  return parts.length === 1 ? first : { kind: 'and', parts, at }
}

function parseUnary(cursor: Cursor): Expr {
  skipSpaces(cursor)
  const at = position(cursor)
  if (takeWord(cursor, 'NOT') || takeMinus(cursor)) return { kind: 'not', part: parseNested(cursor, parseUnary), at }
  if (peek(cursor) === '(') return parseNested(cursor, parseGroup)
  if (peek(cursor) === '"') return { kind: 'phrase', text: takeQuoted(cursor), at }
  if (peek(cursor) === '') return refuse(cursor, 'The query ends too early', 'a term, a word or "("')
  if (peek(cursor) === ')') return refuse(cursor, '`)` comes too early', 'a term, a word or "("')
  for (const word of ['AND', 'OR']) {
    if (!isAtWord(cursor, word)) continue
    const hint = 'Quote it to search for the word itself.'
    return refuse(cursor, `\`${word}\` is in the place of a term`, 'a term, a word or "("', { hint })
  }
  return parseWordOrTerm(cursor)
}

function parseNested(cursor: Cursor, parse: (cursor: Cursor) => Expr): Expr {
  if (++cursor.depth > QUERY_MAX_NESTING) {
    const at = position(cursor)
    const message = `The query is nested deeper than ${QUERY_MAX_NESTING} levels at character ${at}`
    const help = { field: cursor.field, hint: 'Write it with fewer parentheses.', details: { position: at } }
    throw new ToolError('limit_exceeded', message, help)
  }
  const expr = parse(cursor)
  cursor.depth--
  return expr
}

function parseGroup(cursor: Cursor): Expr {
  const open = position(cursor)
  cursor.index++
  const expr = parseAny(cursor)
  if (peek(cursor) !== ')') refuse(cursor, `\`(\` at character ${open} is not closed`, '")"')
  cursor.index++
  return expr
}

function parseWordOrTerm(cursor: Cursor): Expr {
  const start = cursor.index
  const at = position(cursor)
  let colonSeen = false
  let asWord = false
  while (!isAtBreak(cursor)) {
    if (!colonSeen && peek(cursor) === ':') {
      colonSeen = true
      const key = normalizeText(cursor.syntax.slice(start, cursor.index).join(''))
      // `12:30` and `:smile:` are words.
      if (KEY.test(key)) {
        if (isTerm(cursor, key.toLowerCase())) return parseTerm(cursor, key.toLowerCase(), at)
        asWord = true
      }
    }
    cursor.index++
  }
  if (asWord) cursor.reading?.asWords.push(textFrom(cursor, start))
  return { kind: 'word', text: textFrom(cursor, start), at }
}

/** In free text, a term needs a known filter key and a value. */
function isTerm(cursor: Cursor, key: string): boolean {
  if (!cursor.reading) return true
  if (cursor.terms === QUERY_MAX_TERMS) return false
  const next = peek(cursor, 1)
  return (
    !(next === ':' || next === '/' || next === '\\' || (next !== '"' && isAtBreak(cursor, 1))) &&
    cursor.reading.isFilter(key)
  )
}

function parseTerm(cursor: Cursor, key: string, at: number): Term {
  if (++cursor.terms > QUERY_MAX_TERMS) {
    const message = `The query has more than ${QUERY_MAX_TERMS} terms at character ${at}`
    const hint = 'Write key:a,b for any of several values, or split it into several calls.'
    throw new ToolError('limit_exceeded', message, { field: cursor.field, hint, details: { position: at } })
  }
  cursor.index++
  const op = takeOperator(cursor)
  const values = [parseAlternative(cursor, key)]
  while (peek(cursor) === ',') {
    cursor.index++
    values.push(parseAlternative(cursor, key))
  }
  const range = values.find(value => value.kind === 'range')
  if (range && op !== '=' && op !== '!=')
    refuse(cursor, `\`${op}\` and a range exclude each other`, 'a range without operator', { index: range.at - 1 })
  return { kind: 'term', key, op, values, at }
}

function takeOperator(cursor: Cursor): QueryOp {
  const one = peek(cursor)
  const two = one + peek(cursor, 1)
  if (two === '!=' || two === '<=' || two === '>=') {
    cursor.index += 2
    return two
  }
  if (one !== '=' && one !== '<' && one !== '>') return '='
  cursor.index++
  return one
}

function parseAlternative(cursor: Cursor, key: string): TermValue | TermRange {
  const at = position(cursor)
  const from = isAtRange(cursor) ? null : parseValue(cursor, key, isAtRange)
  if (from && !isAtRange(cursor)) return from
  cursor.index += 2
  const to = isAtValueEnd(cursor) && peek(cursor) !== '"' ? null : parseValue(cursor, key, () => false)
  if (!from && !to) refuse(cursor, 'A range needs a start or an end', 'from..to, from.. or ..to')
  return { kind: 'range', from, to, at }
}

function parseValue(cursor: Cursor, key: string, stop: (cursor: Cursor) => boolean): TermValue {
  const at = position(cursor)
  if (peek(cursor) === '"') return { kind: 'value', text: takeQuoted(cursor), quoted: true, at }
  const start = cursor.index
  while (!isAtValueEnd(cursor) && !stop(cursor)) cursor.index++
  if (cursor.index > start) return { kind: 'value', text: textFrom(cursor, start), quoted: false, at }
  const before = cursor.syntax[start - 1] === ',' ? 'the comma' : `\`${key}:\``
  const hint = 'No space is allowed before a value; quote text that is not a filter.'
  return refuse(cursor, `A value is missing after ${before}`, 'a value', { hint })
}

const isAtValueEnd = (cursor: Cursor): boolean => isAtBreak(cursor) || peek(cursor) === ','

const isAtRange = (cursor: Cursor): boolean => peek(cursor) === '.' && peek(cursor, 1) === '.'
