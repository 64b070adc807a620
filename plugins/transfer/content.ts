import { setImmediate } from 'node:timers/promises'
import { MINUTE_MS, quoteName, ToolError, type ReadContext } from 'tasuki/plugin'
import { FORMATS } from './formats/index.ts'
import { FormatFailure, parseFile, unknownFormat } from './parse-file.ts'
import type { Content, ContentChoice, SourceFile } from './parse-file.ts'
import { TURN } from './import-parts.ts'
import { estimateParseMs } from './parse-cost.ts'
import { inMegabytes, MEMORY_LIMITS } from './memory-limits.ts'
import { OtherFile, otherKind } from './other-files.ts'
import { parseInThread } from './parse-thread.ts'
import { importFormats } from './points.ts'
import { isZip } from './unzip.ts'

export type { Content, ContentChoice } from './parse-file.ts'

/** Milliseconds of a file that is parsed in the thread of the service, where a worker thread needs 150 to start. */
const INLINE_MS = 40

/** How long the content of a file is cached for its next set. */
const KEEP_MS = 10 * MINUTE_MS
let last: { readonly id: string; readonly content: Content } | undefined
let dropped: NodeJS.Timeout | undefined

/** Returns the cached content for an id, or reads it: an import needs it again for every set. */
export async function contentOf(id: string, read: () => Promise<Content>): Promise<Content> {
  const content = last?.id === id ? last.content : await read()
  last = { id, content }
  clearTimeout(dropped)
  dropped = setTimeout(() => (last = undefined), KEEP_MS).unref()
  return content
}

/** Reads a file. @throws ToolError with the field `file`, `format` or `map` if the file cannot be read */
export async function parseContent(
  { all, log }: Pick<ReadContext, 'all' | 'log'>,
  file: SourceFile,
  choice: ContentChoice,
): Promise<Content> {
  const formats = all(importFormats)
  if (!isZip(file.bytes) && file.bytes.length > MEMORY_LIMITS.bytes)
    throw new ToolError('invalid_argument', `The file has more than ${inMegabytes(MEMORY_LIMITS.bytes)}.`, {
      field: 'file',
      hint: 'Divide it, or let the operator give the service more memory.',
    })
  try {
    const isSmall = !isZip(file.bytes) && estimateParseMs(file.bytes, INLINE_MS) < INLINE_MS
    const content = await (isSmall ? parseFile(file, choice, FORMATS, all) : parseInThread(file, choice))
    if (content) return await complete(content, all)
    // Formats of other plugins are functions, which no other thread can call.
    const others = formats.filter(format => !FORMATS.includes(format))
    const read = await parseFile(file, choice, others, all)
    if (read) return read
  } catch (error) {
    if (!(error instanceof FormatFailure)) throw error
    // Files are untrusted: an error in a format is reported as an error of the file, and logged.
    log.warn({ err: error.cause, format: error.format }, 'a file could not be read')
    throw new ToolError('invalid_argument', `The file cannot be read as ${quoteName(error.format)}.`, {
      field: 'file',
      hint: 'Export it again, or name the format that it has.',
    })
  }
  const other = choice.format === undefined ? otherKind(file.bytes) : null
  throw other ? new OtherFile(other) : unknownFormat(choice.format, formats)
}

/** Completes the items with contributions of plugins. */
async function complete(content: Content, all: ReadContext['all']): Promise<Content> {
  const format = FORMATS.find(({ name }) => name === content.format)
  if (!format?.finish) return content
  const items = [...content.items]
  const finish = format.finish(all)
  for (const [n, item] of items.entries()) {
    if (n % TURN === TURN - 1) await setImmediate()
    items[n] = finish(item)
  }
  return { ...content, items }
}
