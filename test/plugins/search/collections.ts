import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readIssues, type IssueFile } from '../../issues.ts'
import { readFirstSentences, readQuestions, readReadmes } from './package-texts.ts'
import { ENGLISH, JAPANESE } from './paraphrases.ts'
import { readPassages, type Passages } from './passages.ts'

/** Texts of one owner with questions; each question has one text that answers it. */
export interface Collection extends Passages {
  readonly name: string
  readonly language: 'en' | 'ja'
}

const FILES: readonly IssueFile[] = ['mesos', 'moodle', 'jirasoftware']
/** Minimum length of a description that is worth finding, in characters. */
const BODY_MIN = 100
/** Matches a first sentence with enough text after it. */
const SENTENCE = /^([\s\S]{60,300}?[.?!])\s+([\s\S]{150,})$/
/** Minimum length of words that get a typo. */
const TYPED_MIN = 6

/** Reads the public data sets; needs TEST_DATA_DIR. @param nth keeps every nth question, starting with number `first` */
export function readCollections(nth = 1, first = 0): Collection[] {
  const issues = FILES.map(file => ({
    file,
    rows: readIssues(file).filter(({ description }) => description.length > BODY_MIN),
  }))
  const japanese = { ...readPassages()!, language: 'ja' as const }
  const all = [
    { name: 'JSQuAD questions', ...japanese },
    { name: 'JSQuAD, katakana with a typo', ...japanese, questions: typedWords(japanese.notes, /[ァ-ヴー]{5,}/g) },
    ...issues.map(({ file, rows }) => ({
      name: `${file}, title → description`,
      language: 'en' as const,
      notes: rows.map(({ key, description }) => ({ title: key, detail: description })),
      questions: rows.map(({ title }, note) => ({ text: title, note })),
    })),
    ...issues.map(({ file, rows }) => {
      const cut = rows.flatMap(({ title, description }) => {
        const [, sentence, rest] = SENTENCE.exec(description) ?? []
        return sentence === undefined ? [] : [{ title, detail: rest!, sentence }]
      })
      return {
        name: `${file}, first sentence → the rest`,
        language: 'en' as const,
        notes: cut,
        questions: cut.map(({ sentence }, note) => ({ text: sentence, note })),
      }
    }),
    ...issues.slice(0, 1).map(({ file, rows }) => {
      const notes = rows.map(({ title, description }) => ({ title, detail: description }))
      return {
        name: `${file}, a rare word with a typo`,
        language: 'en' as const,
        notes,
        questions: typedWords(notes, /\b[a-z]{6,}\b/gi),
      }
    }),
  ]
  const english = [
    { name: 'documentation of Node.js, questions', ...readQuestions() },
    { name: 'documentation of Node.js, first sentence → the rest', ...readFirstSentences() },
    { name: 'packages, description → README', ...readReadmes() },
    ...readSets(),
  ].map(set => ({ ...set, language: 'en' as const }))
  const paraphrases = [
    { name: 'paraphrases, English', language: 'en' as const, pairs: ENGLISH },
    { name: 'paraphrases, Japanese', language: 'ja' as const, pairs: JAPANESE },
  ].map(({ pairs, ...rest }) => ({
    ...rest,
    notes: [...ENGLISH, ...JAPANESE],
    questions: pairs.map(pair => ({ text: pair.asked, note: [...ENGLISH, ...JAPANESE].indexOf(pair) })),
  }))
  return [...paraphrases, ...all, ...english].map(({ questions, ...rest }) => ({
    ...rest,
    questions: questions.filter((_question, n) => n % nth === first),
  }))
}

/** Further English sets, from the folder SEARCH_SETS: a JSON file for each, with name, notes and questions. */
function readSets(): (Passages & { readonly name: string })[] {
  const folder = process.env['SEARCH_SETS']
  if (!folder) return []
  const files = readdirSync(folder).filter(file => file.endsWith('.json'))
  return files.map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Passages & { readonly name: string })
}

/** Returns words that occur in only one text, each with one edit. Position and kind of the edit depend only on the word. */
function typedWords(notes: Passages['notes'], pattern: RegExp): Passages['questions'] {
  const places = new Map<string, Set<number>>()
  for (const [n, { title, detail }] of notes.entries()) {
    for (const [word] of `${title}\n${detail}`.toLowerCase().matchAll(pattern)) {
      const found = places.get(word) ?? new Set()
      places.set(word, found.add(n))
    }
  }
  return [...places]
    .filter(([word, { size }]) => size === 1 && word.length >= Math.min(TYPED_MIN, 5))
    .filter((_word, n) => n % 7 === 0)
    .map(([word, found]) => ({ text: misspell(word), note: [...found][0]! }))
}

function misspell(word: string): string {
  const seed = Array.from(word).reduce((sum, letter) => sum * 31 + letter.codePointAt(0)!, 7) % 9973
  const at = 1 + (seed % (word.length - 2))
  const letter = word[(at + 2) % word.length]!
  switch (seed % 4) {
    case 0:
      return word.slice(0, at) + word.slice(at + 1)
    case 1:
      return word.slice(0, at) + letter + word.slice(at)
    case 2:
      return word.slice(0, at) + letter + word.slice(at + 1)
    default:
      return word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2)
  }
}
