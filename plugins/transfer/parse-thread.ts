import { setImmediate } from 'node:timers/promises'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { defineThread, ToolError } from 'tasuki/plugin'
import { FormatFailure, type Content, type ContentChoice, type SourceFile } from './parse-file.ts'
import { parseTask, type Parsed, type ParseTask } from './parse-worker.ts'
import type { ImportedItem } from './points.ts'
import { MEMORY_LIMITS } from './memory-limits.ts'

/** Milliseconds until an idle thread ends. */
const IDLE_MS = 10_000

/** Bytes per message to the thread. */
const PART = 1024 * 1024

const thread = defineThread(import.meta.url, './parse-worker', { idleMs: IDLE_MS, heapMb: MEMORY_LIMITS.heapMb })

let last: Promise<unknown> = Promise.resolve()

/**
 * Parses a file of one of this plugin's formats in a worker thread, after the files before it, since each is in memory several times. The
 * items arrive in batches, so that neither thread holds the event loop.
 * @returns null if no format matches or has the chosen name
 * @throws ToolError if the file cannot be read; FormatFailure
 */
export function parseInThread(file: SourceFile, choice: ContentChoice): Promise<Content | null> {
  const parsing = last.then(() => parseNext(file, choice))
  last = parsing.catch(() => undefined)
  return parsing
}

async function parseNext(file: SourceFile, choice: ContentChoice): Promise<Content | null> {
  const pool = await thread()
  const { port1, port2 } = new MessageChannel()
  const task: ParseTask = { name: file.name, size: file.bytes.length, choice, port: port2 }
  try {
    const parsing = pool.run(task, { name: parseTask.name, transferList: [port2] }) as Promise<Parsed>
    // A thread that fails while it gets the file fails the task, which is awaited below.
    parsing.catch(() => undefined)
    await sendBytes(port1, file.bytes)
    const items = receiveItems(port1)
    const parsed = await parsing
    if ('unknown' in parsed) return null
    if ('refused' in parsed) throw new ToolError(parsed.refused.code, parsed.refused.message, parsed.refused.help)
    if ('failed' in parsed) throw new FormatFailure(parsed.failed.format, parsed.failed.cause)
    return { ...parsed.content, items: await items }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
    throw new ToolError('invalid_argument', 'The file needs too much memory.', {
      field: 'file',
      hint: 'Divide the file, or export less.',
    })
  } finally {
    port1.close()
  }
}

/** In parts, since a copy of the whole file would hold the event loop. */
async function sendBytes(port: MessagePort, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += PART) {
    const part = new Uint8Array(bytes.subarray(at, at + PART))
    port.postMessage(part, [part.buffer])
    await setImmediate()
  }
}

/** Asks for batches until an empty one comes. */
async function receiveItems(port: MessagePort): Promise<readonly ImportedItem[]> {
  const items: ImportedItem[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  port.on('message', (batch: readonly ImportedItem[]) => {
    if (batch.length === 0) return resolve()
    for (const item of batch) items.push(item)
    // In another turn of the event loop, since a port delivers all waiting messages in one.
    void setImmediate().then(() => port.postMessage('next'))
  })
  port.postMessage('next')
  await promise
  return items
}
