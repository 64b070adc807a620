import { firstCharacters, normalizeText } from 'tasuki/plugin'

/** Letters of scripts without spaces between words, as a regular expression class; these scripts have punctuation too. */
const UNSPACED = `[[${['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'].map(script => `\\p{Script=${script}}`).join('')}ー々〆〇]&&[\\p{L}\\p{M}\\p{N}]]`
/** A run of unspaced characters; a word, including C++ and C#; an emoji. */
const RUNS = new RegExp(
  `(${UNSPACED}+)|((?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}])+)(\\+\\+|#(?![\\p{L}\\p{N}]))?|(\\p{Extended_Pictographic})`,
  'gv',
)
/** Boundaries within an identifier: `fooBar`, `HTTPServer`, `E4021`. */
const SEAMS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L}\p{M}*)(?=\p{N})|(?<=\p{N})(?=\p{L})/u
/** A word of ASCII without seams, as most are. */
const PLAIN_WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/
/** Maximum length of a word in code points; longer ones are not words. */
const WORD_MAX = 60
/** An identifier with more parts is a hash. */
const PARTS_MAX = 6

export interface Token {
  readonly text: string
  /** From 1; adjacent tokens have adjacent positions. */
  readonly position: number
  /** `pair` of adjacent characters; `single` = the last character of such a run; `word` of a script with spaces. */
  readonly form: 'pair' | 'single' | 'word'
  /** The single is the whole run. */
  readonly alone: boolean
  /** The unspaced characters that a pair is of, and the place of its first one. */
  readonly run?: readonly string[]
  readonly at?: number
  /** Parts of an identifier: `foo` and `bar` of `fooBar`, the first at the position of the whole. */
  readonly parts?: readonly string[]
}

/** Returns whether a text is plain ASCII, which is the usual case and needs no classes of Unicode. */
export function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII has control characters
  return /^[\x00-\x7f]*$/.test(text)
}

/** Normalizes text for comparison: width, case, and accents of European scripts. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return normalizeText(text)
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
}

/**
 * Tokenizes text without a dictionary: words in scripts with spaces, else each pair of adjacent characters and the last one.
 * @param from position before the first token
 */
export function* tokens(text: string, from = 0): Generator<Token> {
  let position = from
  if (text.length <= WORD_MAX && PLAIN_WORD.test(text))
    return yield { text: text.toLowerCase(), position: from + 1, form: 'word', alone: false }
  for (const [, unspaced, word, sign = '', emoji] of normalizeText(text).matchAll(RUNS)) {
    if (unspaced === undefined) {
      const folded = foldWord(word ?? emoji!)
      // A combining mark without a letter folds to nothing.
      if (folded === '') continue
      const parts = sign === '' ? partsOf(word ?? '') : [folded]
      position++
      const whole = firstCharacters(`${folded}${sign}`, WORD_MAX)
      yield { text: whole, position, form: 'word', alone: false, ...(parts.length > 0 && { parts }) }
      position += Math.max(parts.length - 1, 0)
      continue
    }
    const characters = Array.from(foldText(unspaced))
    const last = characters.length - 1
    for (let n = 0; n < last; n++) {
      const text = characters[n]! + characters[n + 1]!
      yield { text, position: ++position, form: 'pair', alone: false, run: characters, at: n }
    }
    yield { text: characters[last]!, position: ++position, form: 'single', alone: last === 0 }
  }
}

/** Runs of ASCII, which need no classes of Unicode. */
const ASCII_RUNS = /[A-Za-z0-9]+(?:\+\+|#(?![A-Za-z0-9]))?/g

/** Returns words and runs of unspaced characters as they are written; the tokens of a text are those of its runs. */
export function runsIn(text: string): readonly string[] {
  if (isAscii(text)) return text.match(ASCII_RUNS) ?? []
  return normalizeText(text).match(RUNS) ?? []
}

/** Yields words and runs of unspaced characters, folded. */
export function* runsOf(text: string): Generator<{ readonly text: string; readonly unspaced: boolean }> {
  for (const [, unspaced, word] of normalizeText(text).matchAll(RUNS)) {
    const run = foldText(unspaced ?? word ?? '')
    if (run !== '') yield { text: run, unspaced: unspaced !== undefined }
  }
}

function partsOf(word: string): string[] {
  if (/^\p{Ll}*$/u.test(word)) return []
  const parts = word.split(SEAMS)
  if (parts.length < 2 || parts.length > PARTS_MAX) return []
  return parts.map(foldWord).filter(part => part.length > 1)
}

const foldWord = (word: string): string => firstCharacters(foldText(word), WORD_MAX)

const HIRAGANA = /^\p{Script=Hiragana}$/u

/** Returns how much a token says about the subject of a text: hiragana are mostly grammatical. */
export function tokenWeight(token: string): number {
  const characters = Array.from(token)
  const grammar = characters.filter(character => HIRAGANA.test(character)).length
  return grammar === 0 ? 1 : grammar === characters.length ? 0.25 : 0.6
}
