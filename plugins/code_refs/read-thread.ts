import { defineThread } from 'tasuki/plugin'
import { readDelivery, type SentDelivery } from './read-delivery.ts'
import { readTask } from './read-worker.ts'

/** Bytes of a delivery that is read in the thread of the service: at most 40 ms. Usual ones have 10 to 40 KB. */
const INLINE_BYTES = 128 * 1024
/** Milliseconds until an idle thread ends. */
const IDLE_MS = 10_000
/** Heap limit of the thread in megabytes; 256 are too few for 25 MB as a form. */
const HEAP_MB = 512

const thread = defineThread(import.meta.url, './read-worker', { idleMs: IDLE_MS, heapMb: HEAP_MB })

/** Verifies and reads a delivery, a large one in a worker thread, which takes over the bytes of the body. @returns why it is refused */
export async function receiveDelivery(sent: SentDelivery): Promise<ReturnType<typeof readDelivery>> {
  if (sent.body.length <= INLINE_BYTES) return readDelivery(sent)
  const pool = await thread()
  // A view of a larger buffer is copied: transferring would take away the rest of it.
  const isWhole = sent.body.length === sent.body.buffer.byteLength
  const body = isWhole ? new Uint8Array(sent.body.buffer as ArrayBuffer) : Uint8Array.from(sent.body)
  try {
    return (await pool.run({ ...sent, body }, { name: readTask.name, transferList: [body.buffer] })) as ReturnType<
      typeof readDelivery
    >
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') return 'unreadable'
    throw error
  }
}
