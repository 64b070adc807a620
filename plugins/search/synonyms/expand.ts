import { foldKana, isStopWord } from '../text/analyzer.ts'
import { runsOf } from '../text/tokens.ts'
import type { Word } from '../text/words.ts'
import { openDictionary, type Dictionary, type Synonyms } from './dictionary.ts'

/** Maximum number of words in a query that get synonyms. */
const EXPANDED_MAX = 24

/** Adds synonyms to words. Words of a phrase stay as written. */
export async function addSynonyms(words: readonly Word[]): Promise<Word[]> {
  const dictionary = await openDictionary()
  let left = EXPANDED_MAX
  const ofForm = (text: string, rest = ''): Synonyms[] => {
    for (const lemma of lemmasOf(text)) {
      const found = dictionary(`${lemma}${rest}`)
      if (found) return [found]
    }
    return []
  }
  const runs = words.map(({ text, phrase }) => (phrase ? [] : Array.from(runsOf(text))))
  const spaced = runs.map(parts => (parts.length === 1 && !parts[0]!.unspaced ? parts[0]!.text : null))
  return words.map((word, n) => {
    const found: Synonyms[] = []
    for (const { text, unspaced } of runs[n]!) {
      if (unspaced) found.push(...synonymsOfRun(text, dictionary))
      else if (!isStopWord(text)) found.push(...ofForm(text))
    }
    const next = spaced[n + 1]
    if (spaced[n] && next) found.push(...ofForm(spaced[n], ` ${next}`))
    const alike = found.slice(0, left)
    left -= alike.length
    return alike.length === 0 ? word : { ...word, alike }
  })
}

const ENDINGS: readonly (readonly [ending: string, instead: string])[] = [
  ['ies', 'y'],
  ['ied', 'y'],
  ['es', ''],
  ['es', 'e'],
  ['s', ''],
  ['ed', ''],
  ['ed', 'e'],
  ['ing', ''],
  ['ing', 'e'],
]

/** Returns the word and its possible base forms. */
function lemmasOf(word: string): string[] {
  const lemmas = ENDINGS.filter(([ending]) => word.endsWith(ending) && word.length > ending.length + 2).map(
    ([ending, instead]) => word.slice(0, -ending.length) + instead,
  )
  return [word, ...lemmas, ...lemmas.filter(lemma => /([^aeiou])\1$/.test(lemma)).map(lemma => lemma.slice(0, -1))]
}

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' })
/** Maximum number of segments that may form one word. */
const JOINED_MAX = 5

/** Returns the synonyms of the longest words of a run that are in the dictionary. */
function synonymsOfRun(run: string, dictionary: Dictionary): Synonyms[] {
  const segments = Array.from(segmenter.segment(run), ({ segment }) => segment)
  const found: Synonyms[] = []
  for (let from = 0; from < segments.length;) {
    let taken = 1
    for (let count = Math.min(JOINED_MAX, segments.length - from); count > 0; count--) {
      const word = segments.slice(from, from + count).join('')
      if (/^\p{Script=Hiragana}{1,2}$/u.test(word)) continue
      const synonyms = formsOf(foldKana(word))
        .map(dictionary)
        .find(each => each !== null)
      if (!synonyms) continue
      found.push(synonyms)
      taken = count
      break
    }
    from += taken
  }
  return found
}

/** Kana that end verb forms, each with the endings of possible dictionary forms. */
const VERB_ENDINGS = new Map(
  Array.from(
    `いうる えうる わう おう っうつる かく きく けくる こく くい さす しす せす そす たつ ちつ てつる とつ なぬ にぬ んむぶぬ まむ みむる めむる もむ
    らる りる れる ろる ばぶ びぶる べぶる がぐ ぎぐる げぐる`.matchAll(/(\S)(\S+)/g),
    ([, kana = '', endings = '']) => [kana, endings] as const,
  ),
)

/** Returns the word and its possible dictionary forms, for verbs and adjectives. */
function formsOf(word: string): string[] {
  if (!/\p{Script=Han}/u.test(word)) return [word]
  const stem = word.slice(0, -1)
  const endings = Array.from(VERB_ENDINGS.get(word.at(-1)!) ?? '', ending => `${stem}${ending}`)
  return [word, ...endings, ...(word.length > 1 ? [`${word}る`] : [])]
}
