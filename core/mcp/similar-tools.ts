import { editDistance } from '../plugin/nearest.ts'
import type { CompiledTool } from '../runtime/registry/types.ts'

const MAX_SUGGESTED = 3

/** Synonymous verbs of tool names. `READ_VERBS` links the first two lists to each other. */
const VERBS: readonly (readonly string[])[] = [
  ['list', 'all', 'browse', 'enumerate', 'index', 'search', 'find', 'query', 'lookup', 'filter', 'grep'],
  ['get', 'read', 'show', 'fetch', 'view', 'describe', 'retrieve', 'open'],
  ['create', 'add', 'new', 'make', 'insert', 'post'],
  ['update', 'edit', 'patch', 'modify', 'change', 'set', 'rename'],
  ['delete', 'remove', 'destroy', 'drop', 'erase'],
  ['complete', 'finish', 'close', 'done', 'resolve'],
  ['move', 'transition', 'transfer'],
]
const READ_VERBS = new Set([0, 1])
const MEANING_OF = new Map(VERBS.flatMap((verbs, meaning) => verbs.map(verb => [verb, meaning] as const)))

type NamedTool = Pick<CompiledTool, 'name' | 'tool'>

/**
 * Compares names word by word: `createItem`, `item_create` and `items_creat` all match `items_create`, but not `events_create`.
 * @returns the name of the equivalent tool, or null, and similar tools: those for the same noun first, then those with the same verb
 */
export function similarTools(name: string, tools: Iterable<NamedTool>) {
  const requested = wordsOf(name.slice(0, 64))
  const scored = [...tools]
    .map(tool => ({ tool, ...compareNames(requested, tool) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
  const [best] = scored
  return {
    meant: best?.same ? best.tool.name : null,
    similar: scored.slice(0, MAX_SUGGESTED).map(({ tool }) => tool),
  }
}

/** @returns the score, where nouns count more than verbs, and whether every word has a counterpart */
function compareNames(requested: readonly string[], { name, tool }: NamedTool): { score: number; same: boolean } {
  const words = wordsOf(name)
  const found = requested.map(word => words.find(other => isSame(word, other)))
  const same =
    // Clients put the name of the server before: mcp__tasuki__items_get.
    requested.join('_').endsWith(`_${name}`) ||
    (found.every(word => word !== undefined) && words.every(word => found.includes(word)))
  const [title, summary] = [wordsOf(tool.title), wordsOf(tool.summary)]
  let score = same ? 100 : 0
  requested.forEach((word, n) => {
    if (MEANING_OF.has(word)) {
      if (found[n] !== undefined) score += found[n] === word ? 3 : 2
      else if (isReading(word) && words.some(isReading)) score += 1
    } else if (found[n] !== undefined) score += 10
    else if (title.some(other => isSame(word, other))) score += 8
    else if (summary.some(other => isSame(word, other))) score += 2
  })
  return { score, same }
}

/** Splits a name of any case style into lower-case words. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
}

/** Compares verbs by meaning, and other words in singular with one typo allowed per four letters. */
function isSame(a: string, b: string): boolean {
  const [meaning, other] = [MEANING_OF.get(a), MEANING_OF.get(b)]
  if (meaning !== undefined && other !== undefined) return meaning === other
  return a === b || editDistance(singular(a), singular(b)) <= Math.floor(Math.min(a.length, b.length) / 4)
}

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '')

const isReading = (word: string): boolean => READ_VERBS.has(MEANING_OF.get(word) ?? -1)
