import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

/** Sorted lines of words and their synonyms, made by `npm run synonyms` from WordNet and Sudachi's dictionary of synonyms. */
export const DICTIONARY = fileURLToPath(new URL('data/dictionary.txt.br', import.meta.url))

/** The dictionary, as settings name it. */
export const SYNONYMS = 'synonyms/1'

/** Words for a word. */
export interface Synonyms {
  /** Of the same meaning. */
  readonly same: readonly string[]
  /** More general, more special, or of another part of speech. */
  readonly related: readonly string[]
}
export type Dictionary = (word: string) => Synonyms | null

let opened: Promise<Dictionary> | undefined

/** Opens the dictionary, once per process and when it is first needed. It stays bytes: parsed it would take ten times the memory. */
export function openDictionary(): Promise<Dictionary> {
  return (opened ??= readFile(DICTIONARY)
    .then(packed => promisify(brotliDecompress)(packed))
    .then(lookUpIn))
}

const NEWLINE = 10

function lookUpIn(lines: Buffer): Dictionary {
  return word => {
    const wanted = Buffer.from(`${word}\t`)
    let [low, high] = [0, lines.length]
    while (low < high) {
      const start = lines.lastIndexOf(NEWLINE, Math.max(((low + high) >> 1) - 1, 0)) + 1
      const end = lines.indexOf(NEWLINE, start)
      const order = lines.compare(wanted, 0, wanted.length, start, Math.min(start + wanted.length, end))
      if (order === 0) {
        const [same = [], related = []] = lines
          .toString('utf8', start + wanted.length, end)
          .split('\t')
          .map(words => (words === '' ? [] : words.split(',')))
        return { same, related }
      }
      if (order < 0) low = end + 1
      else high = start
    }
    return null
  }
}
