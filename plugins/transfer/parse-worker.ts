import { on } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import { ToolError } from 'tasuki/worker'
import { FORMATS } from './formats/index.ts'
import { FormatFailure, parseFile, type Content, type ContentChoice } from './parse-file.ts'
import type { ImportedItem } from './points.ts'

/** Items and characters of their texts per message: more would hold the receiving thread. */
const [BATCH, BATCH_CHARACTERS] = [200, 200_000]

/** A task for the worker thread. The other end of the port sends the bytes, then asks for each batch of items, until it gets an empty one. */
export interface ParseTask {
  readonly name: string
  /** Number of bytes that come. */
  readonly size: number
  readonly choice: ContentChoice
  readonly port: MessagePort
}

/** Errors as data: between threads they lose their class. */
export type Parsed =
  | { readonly content: Content }
  | { readonly refused: Pick<ToolError, 'code' | 'message' | 'help'> }
  | { readonly failed: { readonly format: string; readonly cause: unknown } }
  | { readonly unknown: true }

/** Parses a file in a worker thread, and sends its items in batches. @returns the content without its items */
export async function parseTask({ name, size, choice, port }: ParseTask): Promise<Parsed> {
  const messages = on(port, 'message') as AsyncIterableIterator<[unknown]>
  try {
    const bytes = Buffer.alloc(size)
    for (let at = 0; at < size;) {
      const [part] = (await messages.next()).value as [Uint8Array]
      bytes.set(part, at)
      at += part.length
    }
    const content = await parseFile({ name, bytes }, choice, FORMATS, () => [])
    if (!content) return { unknown: true }
    for (const batch of [...batchesOf(content.items), []]) {
      await messages.next()
      port.postMessage(batch)
    }
    return { content: { ...content, items: [] } }
  } catch (error) {
    if (error instanceof ToolError) return { refused: { code: error.code, message: error.message, help: error.help } }
    if (error instanceof FormatFailure) return { failed: { format: error.format, cause: error.cause } }
    throw error
  }
}

/** Approximate: of the fields that may be long. */
function charactersIn({ title, detail = '', parts: { comments } }: ImportedItem): number {
  // What a file has in the place of comments is checked later.
  const bodies = Array.isArray(comments) ? comments.map(comment => String(comment?.body ?? '').length) : []
  return bodies.reduce((sum, length) => sum + length, title.length + detail.length)
}

function* batchesOf(items: readonly ImportedItem[]): Generator<readonly ImportedItem[]> {
  let [from, characters] = [0, 0]
  for (const [n, item] of items.entries()) {
    characters += charactersIn(item)
    if (n + 1 - from < BATCH && characters < BATCH_CHARACTERS) continue
    yield items.slice(from, n + 1)
    ;[from, characters] = [n + 1, 0]
  }
  if (from < items.length) yield items.slice(from)
}
