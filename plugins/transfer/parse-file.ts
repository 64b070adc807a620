import { createHash } from 'node:crypto'
import { nameKey, quoteName, ToolError } from 'tasuki/worker'
import { decodeText } from './decode.ts'
import { sortByParent } from './order.ts'
import type { ImportContent, ImportedItem, ImportFile, ImportFormat, ReadOptions } from './points.ts'
import { isZip, unzip } from './unzip.ts'

/** The parsed content of a file: parents before their children, each key once. */
export interface Content extends ImportContent {
  readonly digest: string
  readonly format: string
}

/** A file as uploaded. */
export interface SourceFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** How to read a file. */
export interface ContentChoice {
  /** Name of the format; default: detected. */
  readonly format?: string | undefined
  readonly columns: NonNullable<ReadOptions['columns']>
}

/** A format that threw an error which is not about the file. */
export class FormatFailure extends Error {
  readonly format: string
  constructor(format: string, cause: unknown) {
    super(`the format ${format} failed`, { cause })
    this.format = format
  }
}

/**
 * Parses a file by the first format that matches, or the one with the chosen name.
 * @returns null if no format matches or has the name
 * @throws ToolError if the file cannot be read; FormatFailure
 */
export function parseFile(
  { name, bytes }: SourceFile,
  { format: wanted, columns }: ContentChoice,
  formats: readonly ImportFormat[],
  all: ReadOptions['all'],
): Content | null {
  const named = wanted === undefined ? null : formats.find(each => each.name === nameKey(wanted))
  if (named === undefined || formats.length === 0) return null
  const file: ImportFile = isZip(bytes)
    ? { name, text: '', entries: unzip(bytes).map(entry => ({ name: entry.name, text: decodeText(entry.bytes) })) }
    : { name, text: decodeText(bytes) }
  const format = named ?? formats.find(each => readBy(each, () => each.matches(file)))
  if (!format) return null
  const read = readBy(format, () => format.read(file, { all, columns }))
  const problems = [...read.problems]
  const items = sortByParent(read.items.map(cleanKey), problems)
  const digest = createHash('sha256').update(bytes).digest('hex')
  return { ...read, digest, format: format.name, items, problems }
}

/** @throws ToolError for a file of unknown format */
export function unknownFormat(name: string | undefined, formats: readonly ImportFormat[]): ToolError {
  return new ToolError(
    'invalid_argument',
    name === undefined ? 'The format of the file is unknown.' : `There is no format ${quoteName(name)}.`,
    {
      field: 'format',
      allowed: formats.map(each => each.name),
      hint: 'Name the format that it has; a CSV file needs a header with a title.',
    },
  )
}

function readBy<T>({ name }: ImportFormat, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ToolError ? error : new FormatFailure(name, error)
  }
}

/** Limits keys, which are stored and compared, and removes characters that the database rejects. */
function cleanKey(item: ImportedItem): ImportedItem {
  const clean = (key: string): string =>
    key.length <= 300 && key.isWellFormed() && !key.includes('\0')
      ? key
      : createHash('sha256').update(key).digest('hex')
  return { ...item, key: clean(item.key), ...(item.parent !== undefined && { parent: clean(item.parent) }) }
}
