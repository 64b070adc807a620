import { createHash } from 'node:crypto'
import { nameKey, quoteName, ToolError, type ReadContext } from 'tasuki/plugin'
import { decodeText } from './decode.ts'
import { sortByParent } from './order.ts'
import { importFormats } from './points.ts'
import type { ImportContent, ImportedItem, ImportFile, ImportFormat, ReadOptions } from './points.ts'
import { isZip, unzip } from './unzip.ts'

/** The parsed content of a file: parents before their children, each key once. */
export interface Content extends ImportContent {
  readonly digest: string
  readonly format: string
}

/** How to read a file. */
export interface ContentChoice {
  /** Name of the format; default: detected. */
  readonly format?: string | undefined
  readonly columns: NonNullable<ReadOptions['columns']>
}

/** How long the content of a file is cached for its next set. */
const KEEP_MS = 10 * 60_000
let last: { readonly id: string; readonly content: Content } | undefined
let dropped: NodeJS.Timeout | undefined

/** Returns the cached content for an id, or reads it: an import needs it again for every set. */
export async function contentOf(id: string, read: () => Promise<Content>): Promise<Content> {
  if (last?.id !== id) last = { id, content: await read() }
  clearTimeout(dropped)
  dropped = setTimeout(() => (last = undefined), KEEP_MS).unref()
  return last.content
}

/** Reads a file. @throws ToolError with the field `file`, `format` or `map` if the file cannot be read */
export function parseContent(
  ctx: ReadContext,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
  { format: wanted, columns }: ContentChoice,
): Content {
  const file: ImportFile = isZip(bytes)
    ? { name, text: '', entries: unzip(bytes).map(entry => ({ name: entry.name, text: decodeText(entry.bytes) })) }
    : { name, text: decodeText(bytes) }
  const format = formatOf(ctx, file, wanted)
  const {
    items,
    problems,
    ignored,
    columns: read,
  } = readBy(ctx, format, () => format.read(file, { all: ctx.all, columns }))
  const found = [...problems]
  const ordered = sortByParent(items.map(cleanKey), found)
  const digest = createHash('sha256').update(bytes).digest('hex')
  return { digest, format: format.name, items: ordered, problems: found, ignored, ...(read && { columns: read }) }
}

function formatOf(ctx: ReadContext, file: ImportFile, name: string | undefined): ImportFormat {
  const formats = ctx.all(importFormats)
  const found =
    name === undefined
      ? formats.find(each => readBy(ctx, each, () => each.matches(file)))
      : formats.find(each => each.name === nameKey(name))
  if (found) return found
  throw new ToolError(
    'invalid_argument',
    name === undefined ? 'The format of the file is unknown.' : `There is no format ${quoteName(name)}.`,
    {
      field: 'format',
      allowed: formats.map(each => each.name),
      hint: 'Name the format that it has; a CSV file needs a header with a title.',
    },
  )
}

/** Files are untrusted: an error in a format is reported as an error of the file, and logged. @throws ToolError */
function readBy<T>({ log }: ReadContext, { name }: ImportFormat, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ToolError) throw error
    log.warn({ err: error, format: name }, 'a file could not be read')
    throw new ToolError('invalid_argument', `The file cannot be read as ${quoteName(name)}.`, {
      field: 'file',
      hint: 'Export it again, or name the format that it has.',
    })
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
