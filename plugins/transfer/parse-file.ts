import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { isStorable, nameKey, quoteName, ToolError, Turn } from 'tasuki/worker'
import { decodeText } from './decode.ts'
import { sortByParent } from './order.ts'
import type { ImportContent, ImportedItem, ImportFile, ImportFormat, ReadOptions } from './points.ts'
import { isZip, unzip } from './unzip.ts'

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

/** The parsed content of a file: parents before their children, each key once. */
export interface Content extends Omit<ImportContent, 'items'> {
  readonly items: readonly ImportedItem[]
  /** Number of problems beyond those that are kept. */
  readonly more: number
  readonly digest: string
  readonly format: string
}

/** Maximum number of problems that are kept. */
export const PROBLEMS = 200
/** Milliseconds between two yields to the event loop. */
const TURN_MS = 5

/**
 * Parses a file by the first format that matches, or the one with the chosen name.
 * @returns null if no format matches or has the name
 * @throws ToolError if the file cannot be read; FormatFailure
 */
export async function parseFile(
  { name, bytes }: SourceFile,
  { format: wanted, columns }: ContentChoice,
  formats: readonly ImportFormat[],
  all: ReadOptions['all'],
): Promise<Content | null> {
  const named = wanted === undefined ? null : formats.find(each => each.name === nameKey(wanted))
  if (named === undefined || formats.length === 0) return null
  const file: ImportFile = isZip(bytes)
    ? {
        name,
        text: '',
        entries: (await unzip(bytes)).map(entry => ({ name: entry.name, text: decodeText(entry.bytes) })),
      }
    : { name, text: decodeText(bytes) }
  const digest = createHash('sha256').update(bytes).digest('hex')
  const format = named ?? formats.find(each => tryFormat(each, () => each.matches(file)))
  if (!format) return null
  await setImmediate()
  const read = tryFormat(format, () => format.read(file, { all, columns }))
  const problems = [...read.problems]
  const items = sortByParent(await collect(format, read.items), problems)
  const more = Math.max(problems.length - PROBLEMS, 0)
  return { ...read, digest, format: format.name, items, problems: problems.slice(0, PROBLEMS), more }
}

/** Collects the items of a file, and yields to the event loop. */
async function collect(format: ImportFormat, items: Iterable<ImportedItem>): Promise<readonly ImportedItem[]> {
  const collected: ImportedItem[] = []
  const iterator = items[Symbol.iterator]()
  const turn = new Turn(TURN_MS)
  for (;;) {
    if (turn.isOver()) await turn.next()
    const { done, value } = tryFormat(format, () => iterator.next())
    if (done) return collected
    collected.push(cleanKey(value))
  }
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

function tryFormat<T>({ name }: ImportFormat, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof ToolError ? error : new FormatFailure(name, error)
  }
}

/** Limits keys, which are stored and compared, and removes characters that the database rejects. */
function cleanKey(item: ImportedItem): ImportedItem {
  const clean = (key: string): string =>
    key.length <= 300 && isStorable(key) ? key : createHash('sha256').update(key).digest('hex')
  return { ...item, key: clean(item.key), ...(item.parent !== undefined && { parent: clean(item.parent) }) }
}
