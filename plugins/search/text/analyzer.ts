import porter2 from 'wink-porter2-stemmer'
import { compoundAt, lexemeOfCompound } from './compounds.ts'
import type { Token } from './tokens.ts'

/** The version of the index format; documents of an earlier version are reindexed in the background. */
export const ANALYZER = 3

/** English function words: Snowball's list, without words that name things. */
const STOP_WORDS = new Set(
  `a about above after again against ain all am an and any are aren as at be because been before being below between both but by
  can cannot could couldn d did didn do does doesn doing don down during each few for from further had hadn has hasn have haven having
  he her here hers herself him himself his how i if in into is isn it its itself just ll m ma me mightn more most mustn my myself needn no
  nor not now o of off on once only or other our ours ourselves out over own re s same shan she should shouldn so some such t than that
  the their theirs them themselves then there these they this those through to too under until up ve very was wasn we were weren what
  when where which while who whom why will with won would wouldn y you your yours yourself yourselves`.split(/\s+/),
)

/** The stop words in nearly every text or question, which are not ranked. The others, as "own", distinguish similar texts by their rarity. */
export const GRAMMAR_WORDS = new Set(
  `a an and are as at be but by did do does for from had has have how if in into is it no not of on or such that the their then there these
  they this to was were what when where which who whom why will with`.split(/\s+/),
)

/** Returns whether a word carries no information about the subject of a text. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

/** Returns the common stem of a word's inflections. */
export function stemOf(word: string): string {
  if (!/^[a-z]{3,60}$/.test(word)) return word
  let stem = stems.get(word)
  if (stem === undefined) {
    if (stems.size >= STEMS_MOST) stems.clear()
    stem = porter2(word)
    stems.set(word, stem)
  }
  return stem
}

/** Cache: texts share most of their words, and stemming takes longer than a lookup. */
const stems = new Map<string, string>()
const STEMS_MOST = 20_000

/** Converts katakana to hiragana: people use either. */
export function foldKana(text: string): string {
  return text.replaceAll(/[\u30a1-\u30f6]/g, letter => String.fromCharCode(letter.charCodeAt(0) - 0x60))
}

/** The lexemes at one distance from the position of their token. */
export interface Lexemes {
  readonly distance: number
  readonly texts: readonly string[]
}

/** Returns the lexemes of a token. */
export function lexemesOf({ text, form, run, at, parts = [] }: Token): readonly Lexemes[] {
  if (form !== 'word') {
    const compound = run ? compoundAt(run, at!) : null
    return [{ distance: 0, texts: [foldKana(text), ...(compound === null ? [] : [lexemeOfCompound(compound)])] }]
  }
  return [text, ...parts].map((word, n) => ({
    distance: Math.max(n - 1, 0),
    texts: [...new Set([word, stemOf(word)])],
  }))
}
