import { normalized, type SourceFile } from './source.ts'

/** Number of consecutive lines in a run. */
const RUN = 6
/** A run with more occurrences is required by the language or a library. */
const MAX_PLACES = 8
/** Minimum characters of a run's shape; shorter runs are not significant. */
const SHORTEST = 60

/** A field of an interface. Types of six fields are alike in shape although they have nothing in common. */
const FIELD_OF_TYPE = /^readonly \w+\??: [^=(]*$/

/** A code with its word in each language. Tables of them are as alike as types. */
const WORD_OF_LANGUAGES = /^[^{]+: \{ en: '[^']*', ja: '[^']*' \},$/

const TEXTS = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`/g
const NAMES = /[A-Za-z_$][\w$]*/g
const NUMBERS = /\b\d[\d_.]*\b/g
const KEYWORDS = new Set(
  'as async await break case catch class const continue default delete do else export extends false finally for from function if import in instanceof interface let new null of readonly return satisfies static super switch this throw true try type typeof undefined void while yield'.split(
    ' ',
  ),
)

export interface AlikePlaces {
  readonly files: readonly [string, string]
  /** First line of the first common run, per place. */
  readonly lines: readonly [number, number]
}

/**
 * Finds the pairs of files (or of places within one file) that share a run of six lines that are equal except for names, texts and numbers.
 * Skips fields of interfaces, words of languages, comments, imports, blank lines and lone punctuation.
 */
export function findAlikeLines(files: readonly SourceFile[]): readonly AlikePlaces[] {
  const runs = new Map<string, { readonly path: string; readonly line: number; readonly index: number }[]>()
  for (const file of files) {
    const lines = normalized(file).filter(({ text }) => !FIELD_OF_TYPE.test(text) && !WORD_OF_LANGUAGES.test(text))
    for (let index = 0; index + RUN <= lines.length; index++) {
      const key = shapeOf(lines.slice(index, index + RUN).map(line => line.text))
      if (key.length < SHORTEST) continue
      const places = runs.get(key) ?? []
      places.push({ path: file.path, line: lines[index]!.line, index })
      runs.set(key, places)
    }
  }
  const pairs = new Map<string, AlikePlaces>()
  for (const places of runs.values()) {
    if (places.length > MAX_PLACES) continue
    for (const [at, first] of places.entries()) {
      for (const second of places.slice(at + 1)) {
        if (first.path === second.path && Math.abs(first.index - second.index) < RUN) continue
        const key = `${first.path}\n${second.path}`
        if (!pairs.has(key)) pairs.set(key, { files: [first.path, second.path], lines: [first.line, second.line] })
      }
    }
  }
  return [...pairs.values()]
}

/** Replaces names, texts and numbers by letters. */
function shapeOf(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(TEXTS, 'S')
    .replace(NAMES, name => (KEYWORDS.has(name) ? name : 'I'))
    .replace(NUMBERS, 'N')
}
