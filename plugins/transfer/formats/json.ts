import { findJsonProblem, ToolError } from 'tasuki/worker'
import { MEMORY_LIMITS } from '../memory-limits.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- whatever a file has; every value is checked where it is read
export type Json = any

type TextFile = { readonly text: string }
let last: { readonly file: TextFile; readonly value: Json } | undefined

const LIMITS = { depth: 64, values: MEMORY_LIMITS.jsonValues }

/** Parses a file as JSON; undefined for other files. @throws ToolError for one that is too complex */
export function jsonOf(file: TextFile): Json {
  if (last?.file !== file) last = { file, value: parseJson(file.text) }
  return last.value
}

function parseJson(text: string): Json {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return undefined
  const problem = findJsonProblem(Buffer.from(text), LIMITS)
  if (problem !== null)
    throw new ToolError('invalid_argument', `The file ${problem}.`, { field: 'file', hint: 'Divide it.' })
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** Returns the list in a file. @throws ToolError */
export function listOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value
  throw new ToolError('invalid_argument', 'The file has no list of items.', {
    field: 'file',
    hint: 'Export it again, or name the format that it has.',
  })
}

/** Returns a non-empty string; undefined for other values. */
export const textOf = (value: Json): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
/** Returns the elements of a list; none for other values. */
export const elementsOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [])
/** Removes undefined values. */
export function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const found: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) if (value !== undefined) found[name] = value
  return found as { [K in keyof T]?: Exclude<T[K], undefined> }
}
