import { firstCharacters } from 'tasuki/plugin'

/** Letters of scripts that are written without spaces between words, as a character class of regular expressions; scripts have punctuation too. */
const UNSPACED = `[[${['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'].map(script => `\\p{Script=${script}}`).join('')}ー々〆〇]&&[\\p{L}\\p{M}\\p{N}]]`
const RUNS = new RegExp(`(${UNSPACED}+)|((?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}])+)`, 'gv')
/** Code points of a word that count; longer ones are no words. */
const WORD_MAX = 60

export interface Token {
  readonly text: string
  /** From 1; neighbours in the text have neighbouring positions. */
  readonly position: number
  /** `pair` of neighbouring characters; `single` = the last character of such a run; `word` of a script with spaces. */
  readonly form: 'pair' | 'single' | 'word'
  /** A single that is a whole run. */
  readonly alone: boolean
}

/** Text as it is compared: any width, any case. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/**
 * Splits text without a dictionary: words where the script has spaces, else each pair of neighbouring characters and the last one.
 * @param from position before the first token
 */
export function* tokens(text: string, from = 0): Generator<Token> {
  let position = from
  for (const [, unspaced, word] of foldText(text).matchAll(RUNS)) {
    if (word !== undefined) {
      yield {
        text: firstCharacters(word, WORD_MAX),
        position: ++position,
        form: 'word',
        alone: false,
      }
      continue
    }
    const characters = Array.from(unspaced!)
    const last = characters.length - 1
    for (let n = 0; n < last; n++) {
      yield { text: characters[n]! + characters[n + 1]!, position: ++position, form: 'pair', alone: false }
    }
    yield { text: characters[last]!, position: ++position, form: 'single', alone: last === 0 }
  }
}

const HIRAGANA = /^\p{Script=Hiragana}$/u

/** How much a token says about what a text is about: hiragana are mostly grammar. */
export function tokenWeight(token: string): number {
  const characters = Array.from(token)
  const grammar = characters.filter(character => HIRAGANA.test(character)).length
  return grammar === 0 ? 1 : grammar === characters.length ? 0.25 : 0.6
}
