import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Passages } from './passages.ts'

/** English texts that come with the packages that are installed here, so that everybody has them. */
const MODULES = join(import.meta.dirname, '../../../node_modules')
const COMMENTS = join(MODULES, '@types/node')
/** Characters of a text, and of a README that count. */
const [TEXT_MIN, README_MAX] = [250, 8000]
/** The same for all, so that no title tells texts apart. */
const TITLE = 'Note'

/** Paragraphs of the documentation of Node.js, asked by questions that say about half of a sentence, in other forms. */
export function readQuestions(): Passages {
  const notes = readComments().map(detail => ({ title: TITLE, detail }))
  const questions = notes.flatMap(({ detail }, note) => {
    const sentences = detail.replaceAll(/\s+/g, ' ').match(/[^.!?]+[.!?](?=\s|$)/g) ?? []
    const text = questionOf(sentences[note % Math.max(sentences.length, 1)] ?? '', note)
    return text === null ? [] : [{ text, note }]
  })
  return { notes, questions }
}

/** The same paragraphs without their first sentences, which are what is asked. */
export function readFirstSentences(): Passages {
  const parts = readComments().flatMap(text => {
    const [, sentence, rest] = /^([\s\S]{50,350}?[.?!])\s+([\s\S]{150,})$/.exec(text) ?? []
    return sentence === undefined ? [] : [{ sentence, rest: rest! }]
  })
  return {
    notes: parts.map(({ rest }) => ({ title: TITLE, detail: rest })),
    questions: parts.map(({ sentence }, note) => ({ text: sentence.replaceAll(/[`*[\]]/g, ''), note })),
  }
}

/** READMEs, asked by the descriptions of their packages. */
export function readReadmes(): Passages {
  const folders = readdirSync(MODULES).flatMap(name =>
    name.startsWith('@') ? readdirSync(join(MODULES, name)).map(each => join(name, each)) : [name],
  )
  const texts = folders.flatMap(folder => {
    const [described, readme] = ['package.json', 'README.md'].map(file => join(MODULES, folder, file))
    if (!existsSync(described!) || !existsSync(readme!)) return []
    const { description = '' } = JSON.parse(readFileSync(described!, 'utf8')) as { description?: string }
    const text = readFileSync(readme!, 'utf8').replaceAll(description, '')
    return description.split(' ').length > 3 && text.length > 2 * TEXT_MIN
      ? [{ description, text: text.slice(0, README_MAX) }]
      : []
  })
  return {
    notes: texts.map(({ text }) => ({ title: TITLE, detail: text })),
    questions: texts.map(({ description }, note) => ({ text: description, note })),
  }
}

function readComments(): string[] {
  const files = readdirSync(COMMENTS).filter(file => file.endsWith('.d.ts'))
  const texts = files.flatMap(file =>
    Array.from(readFileSync(join(COMMENTS, file), 'utf8').matchAll(/\/\*\*([\s\S]*?)\*\//g), ([, comment = '']) =>
      comment
        .replaceAll(/^\s*\* ?/gm, '')
        .replaceAll(/```[\s\S]*?```/g, '')
        .replaceAll(/^@\w+.*$/gm, '')
        .trim(),
    ),
  )
  return [...new Set(texts.filter(text => text.length > TEXT_MIN))]
}

const ASKED = ['What', 'Which', 'How', 'When', 'Where', 'In what']

/** A sentence without some of its words, and with others inflected; null for one that says too little. */
function questionOf(sentence: string, seed: number): string | null {
  const words = sentence.match(/[\p{L}\p{N}'-]+/gu) ?? []
  if (words.length < 9 || words.length > 40) return null
  const chance = chances(seed)
  const kept = words.flatMap(word => {
    const drawn = chance()
    if (drawn < 0.4) return []
    if (drawn > 0.5 || !/^[a-z]{4,}$/.test(word)) return [word]
    return [word.endsWith('s') ? word.slice(0, -1) : word.endsWith('ed') ? `${word.slice(0, -2)}ing` : `${word}s`]
  })
  return kept.length < 4 ? null : `${ASKED[seed % ASKED.length]} ${kept.join(' ')}?`
}

/** The same row of numbers from 0 to 1 for the same seed. */
export function chances(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
