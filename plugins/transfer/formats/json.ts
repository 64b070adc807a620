import { ToolError } from 'tasuki/plugin'

// oxlint-disable-next-line typescript/no-explicit-any -- whatever a file has; every value is checked where it is read
export type Json = any

type TextFile = { readonly text: string }
let last: { readonly file: TextFile; readonly value: Json } | undefined

/** The content of a file as JSON; undefined where it is none. */
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

/** The list of a file. @throws ToolError */
export function listOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value
  throw new ToolError('invalid_argument', 'The file has no list of items.', {
    field: 'file',
    hint: 'Export it again, or name the format that it has.',
  })
}

/** A text of a file; undefined for everything else and for an empty one. */
export const textOf = (value: Json): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
/** The elements of a list of a file; none for everything else. */
export const elementsOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [])
/** Leaves out what is undefined. */
export const present = <T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
