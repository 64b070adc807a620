import { ToolError } from 'tasuki/worker'

// oxlint-disable-next-line typescript/no-explicit-any -- whatever a file has; every value is checked where it is read
export type Json = any

type TextFile = { readonly text: string }
let last: { readonly file: TextFile; readonly value: Json } | undefined

/** Parses a file as JSON; undefined for other files. */
export function jsonOf(file: TextFile): Json {
  if (last?.file === file) return last.value
  let value: Json
  try {
    value = /^\uFEFF?\s*[[{]/.test(file.text) ? JSON.parse(file.text.replace(/^\uFEFF/, '')) : undefined
  } catch {
    value = undefined
  }
  last = { file, value }
  return value
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
