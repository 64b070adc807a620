import { RE2JSException, RE2JSSyntaxException, type RE2JS } from 're2js'
import { isStorable, ToolError } from 'tasuki/plugin'
import { matches, matchesAny, type TextCondition } from './grep.repository.ts'
import { matchInThread } from './match-thread.ts'
import { compileRe2, matchesOf } from './regex-matches.ts'
import { findFixedText, postgresRegex } from './regex-sql.ts'
import { mayBeEmpty, readRegex } from './regex-syntax.ts'
import { snippetsOf, type Snippets, type Span } from './snippets.ts'

export interface PatternSource {
  readonly pattern: string
  readonly regex?: boolean
  readonly ignoreCase?: boolean
}

/** A compiled search pattern. It searches texts as stored; empty matches do not count. */
export interface Pattern {
  /** Returns true when the text has a match. */
  test(text: string): boolean
  /**
   * Counts the matches and returns snippets of the first ones.
   * @param max maximum number of snippets
   * @param contextChars code points on each side
   */
  snippets(text: string, max: number, contextChars: number): Promise<Snippets>
  /** A necessary condition for a match, which a trigram index can serve. */
  readonly sqlCandidate: TextCondition
}

/** In code points. */
export const LITERAL_MAX_LENGTH = 1000
export const REGEX_MAX_LENGTH = 500
/** Maximum number of RE2 instructions; search time grows with text length × this number. */
const REGEX_MAX_SIZE = 600
/** Characters of a text times instructions up to which a match takes at most 20 ms, and is looked for in the thread of the service. */
const INLINE_WORK = 1_000_000

/** Compiles a literal or an RE2 regular expression (`^` and `$` are line ends). @throws ToolError `invalid_argument` */
export function compilePattern({ pattern, regex = false, ignoreCase = false }: PatternSource): Pattern {
  const length = Array.from(pattern).length
  const max = regex ? REGEX_MAX_LENGTH : LITERAL_MAX_LENGTH
  if (length === 0) throw invalidPatternError('The pattern is empty', 'Give the text to look for.')
  if (length > max)
    throw invalidPatternError(`The pattern has ${length} characters, more than ${max}`, 'Look for a part of it.')
  if (!isStorable(pattern))
    throw invalidPatternError(
      'The pattern has a character that no text can have',
      'Leave out NUL and halves of surrogate pairs.',
    )
  return regex ? regexPattern(pattern, ignoreCase) : literalPattern(pattern, ignoreCase)
}

function literalPattern(pattern: string, ignoreCase: boolean): Pattern {
  const find = ignoreCase ? findIgnoringCase(pattern) : findExactly(pattern)
  return {
    test: text => hasAny(find(text)),
    snippets: (text, max, context) => snippetsOf(text, find(text), max, context),
    sqlCandidate: ignoreCase ? matches('ilike', toLoosePattern(pattern)) : matches('like', `%${escapeLike(pattern)}%`),
  }
}

function regexPattern(pattern: string, ignoreCase: boolean): Pattern {
  const re = compileRegex(pattern, ignoreCase)
  const known = readRegex(pattern, ignoreCase)
  const narrows = known && !mayBeEmpty(known)
  const fixed = narrows ? findFixedText(known) : null
  const candidate = !narrows
    ? matchesAny
    : fixed === null
      ? matches('~', postgresRegex(known))
      : matches('like', `%${escapeLike(fixed)}%`)
  return {
    test: text => (narrows ? re.test(text) : hasAny(matchesOf(re, text))),
    snippets: (text, max, context) =>
      text.length * re.programSize() > INLINE_WORK
        ? matchInThread({ pattern, ignoreCase, text, max, context })
        : snippetsOf(text, matchesOf(re, text), max, context),
    sqlCandidate: candidate,
  }
}

const hasAny = (matches: Iterable<Span>): boolean => matches[Symbol.iterator]().next().done !== true

function findExactly(pattern: string): (text: string) => Generator<Span> {
  return function* (text) {
    for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + pattern.length))
      yield [at, at + pattern.length]
  }
}

/** Without the `u` flag, ASCII letters match only each other, as in the database; a literal cannot backtrack. */
function findIgnoringCase(pattern: string): (text: string) => Generator<Span> {
  const literal = new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi')
  return function* (text) {
    for (const match of text.matchAll(literal)) yield [match.index, match.index + match[0].length]
  }
}

/** Non-ASCII letters become wildcards: their other case depends on the database's locale. */
function toLoosePattern(pattern: string): string {
  const pieces = Array.from(pattern, character => {
    const cased = character.toLowerCase() !== character || character.toUpperCase() !== character
    return cased && character > '\x7f' ? '%' : escapeLike(character)
  })
  return `%${pieces.join('')}%`
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

function compileRegex(pattern: string, ignoreCase: boolean): RE2JS {
  let re
  try {
    re = compileRe2(pattern, ignoreCase)
  } catch (error) {
    if (error instanceof RE2JSException) throw explainSyntaxError(pattern, error)
    throw error
  }
  if (re.programSize() <= REGEX_MAX_SIZE) return re
  const message = `The regular expression expands to ${re.programSize()} steps, more than ${REGEX_MAX_SIZE}`
  throw invalidPatternError(message, 'Use smaller repetition counts, or * and + instead.')
}

function explainSyntaxError(pattern: string, error: RE2JSException): ToolError {
  const reason = error instanceof RE2JSSyntaxException ? error.getDescription() : error.message
  const reported = error instanceof RE2JSSyntaxException ? (error.getPattern() ?? '') : ''
  // The library puts its options (`(?m)`) before the expression.
  const part = reported.endsWith(pattern) ? pattern : reported
  const at = part === '' ? -1 : pattern.indexOf(part)
  // A part that occurs twice has no certain position.
  const position = at >= 0 && pattern.indexOf(part, at + 1) < 0 ? Array.from(pattern.slice(0, at)).length + 1 : null
  const where = position === null ? '' : ` (character ${position})`
  return invalidPatternError(
    `The regular expression is not valid: ${reason}${part === '' ? '' : ` \`${part}\``}${where}`,
    hintFor(part),
    position === null ? {} : { position },
  )
}

function hintFor(part: string): string {
  if (/^\(\?(<?[=!]|>)/.test(part))
    return 'Lookaround and atomic groups are not supported; match the text around it as well.'
  if (/^\\[1-9]/.test(part)) return 'Back-references are not supported; write the alternatives out.'
  if (/^[?*+]{2}|\}\{|\+$/.test(part)) return 'Possessive and doubled repetitions are not supported; group with (?:…).'
  return 'RE2 syntax: no back-references and no lookaround. To look for plain text leave out regex.'
}

function invalidPatternError(message: string, hint: string, details?: Readonly<Record<string, unknown>>): ToolError {
  return new ToolError('invalid_argument', message, { field: 'pattern', hint, ...(details && { details }) })
}
