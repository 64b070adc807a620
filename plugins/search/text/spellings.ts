import { foldKana, isStopWord, stemOf } from './analyzer.ts'
import { compoundTexts, otherSpellings } from './compounds.ts'
import type { Token } from './tokens.ts'

/** Stop words that are the first part of words such as "reindex" and "onboarding", or the second one of words such as "timeout". */
const PREFIXES = new Set('down off on out over re under up'.split(' '))
const PARTICLES = new Set('by down in off on out over through up'.split(' '))

function mayBeOneWord(first: string, second: string): boolean {
  return (!isStopWord(first) || PREFIXES.has(first)) && (!isStopWord(second) || PARTICLES.has(second))
}

/** Returns the pairs of words that a word may be written as. */
function divisionsOf(word: string): readonly (readonly [string, string])[] {
  if (!/^[a-z]{4,30}$/.test(word)) return []
  return Array.from({ length: word.length - 3 }, (_, n) => [word.slice(0, n + 2), word.slice(n + 2)] as const).filter(
    ([first, second]) => mayBeOneWord(first, second),
  )
}

/** Returns the queries for texts that write a word as two, "time-out" or "time out" for "timeout". */
export function dividedQueries(word: string): readonly string[] {
  return divisionsOf(word).map(([first, second]) => `('${stemOf(first)}' <-> '${stemOf(second)}')`)
}

/** Returns the other ways to write a word or pair of characters, as they may be in a text. */
export function otherTexts({ text, form, run, at }: Token): readonly string[] {
  if (form === 'word')
    return divisionsOf(text).flatMap(([first, second]) => [`${first}-${second}`, `${first} ${second}`])
  return run ? compoundTexts(run, at!) : []
}

/** Returns the query for texts that write two words as one, "timeout" for "time out"; none for other tokens. */
export function joinedQueries(first: Token, second: Token): readonly string[] {
  const isWord = ({ text, parts }: Token): boolean => parts === undefined && /^[a-z\d]{2,}$/.test(text)
  const areWords = isWord(first) && isWord(second) && second.position === first.position + 1
  return areWords && mayBeOneWord(first.text, second.text) ? [`'${stemOf(first.text + second.text)}'`] : []
}

/** Returns the queries for texts that write the compound of a pair of characters with other kana. */
export function pairQueries({ run, at }: Token): readonly string[] {
  return run ? otherSpellings(run, at!).map(lexeme => `'${foldKana(lexeme)}'`) : []
}
