import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { threadEnvironment } from '../../plugin/threads.ts'
import { compileEngine } from './engine.ts'
import { engineError, toDatabaseError, type EngineError } from './errors.ts'
import type { Boot, Message, RawResult, Request, Statement } from './wire.ts'

/** One run of the worker thread, from its start until it is closed, terminated or crashes. */
export interface Session {
  /** @param limit milliseconds after which the thread is terminated; null = no limit */
  run(statement: Statement, limit: number | null): Promise<readonly RawResult[]>
  dump(): Promise<Uint8Array>
  close(): Promise<void>
  /** Why the session ended; null while it is alive. */
  readonly ended: EngineError | null
}

export interface SessionEvents {
  notification(channel: string, payload: string): void
  /** A statement exceeded its limit, so the thread is being terminated. */
  overrun(sql: string, limit: number): void
  /** The thread ended without being closed. */
  lost(reason: EngineError): void
}

interface Pending {
  readonly request: Request
  readonly limit: number | null
  readonly resolve: (message: Message) => void
  readonly reject: (error: Error) => void
}

/** Starts the worker thread and waits until its database is open. */
export async function startSession(boot: Omit<Boot, 'engine' | 'running'>, events: SessionEvents): Promise<Session> {
  const running = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = startWorker({ ...boot, engine: compileEngine(), running: running.buffer })
  const requests = createRequests(worker, running, events.overrun)
  let crash: Error | null = null
  let ended: EngineError | null = null
  let started = false
  let closing = false
  let lastId = 0

  const { promise: ready, resolve: isReady, reject: isNotReady } = Promise.withResolvers<void>()
  worker.on('message', (message: Message) => {
    if (message.kind === 'ready') {
      started = true
      worker.unref()
      isReady()
    } else if (message.kind === 'notification') events.notification(message.channel, message.payload)
    else requests.answer(message)
  })
  worker.on('error', (error: Error) => {
    crash = error
  })
  worker.on('exit', () => {
    isNotReady(crash ?? new Error('The database thread ended while it started'))
    const restartError = engineError('57P02', 'the embedded database was restarted while this was in flight', true)
    ended = restartError
    requests.rejectAll(restartError)
    if (started && !closing) events.lost(crash ? engineError('57P02', crash.message, true) : restartError)
  })
  await ready

  const send = (request: Request, limit: number | null): Promise<Message> =>
    ended ? Promise.reject(ended) : requests.send(request, limit)
  return {
    async run(statement, limit) {
      const message = await send({ kind: 'run', id: ++lastId, ...statement }, limit)
      return message.kind === 'result' ? message.results : []
    },
    async dump() {
      const message = await send({ kind: 'dump', id: ++lastId }, null)
      return message.kind === 'dump' ? message.tar : new Uint8Array()
    },
    async close() {
      closing = true
      await send({ kind: 'close', id: ++lastId }, null).catch(() => undefined)
      await worker.terminate()
    },
    get ended() {
      return ended
    },
  }
}

/** Creates the queue of requests to the thread, which is terminated when one exceeds its limit. */
function createRequests(worker: Worker, running: Int32Array, onOverrun: SessionEvents['overrun']) {
  // The thread executes requests in order, so the first one is being executed.
  const pending: Pending[] = []
  let timer: NodeJS.Timeout | undefined
  let stopped: Pending | null = null
  const watch = (): void => {
    clearTimeout(timer)
    const [first] = pending
    if (!first || first.limit === null) return
    timer = setTimeout(() => {
      // If this thread was the busy one, the answer is already in its queue.
      if (Atomics.load(running, 0) !== first.request.id || first.request.kind !== 'run') return
      stopped = first
      onOverrun(first.request.sql, first.limit ?? 0)
      void worker.terminate()
    }, first.limit)
  }
  return {
    send: (request: Request, limit: number | null): Promise<Message> =>
      new Promise((resolve, reject) => {
        pending.push({ request, limit, resolve, reject })
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(request)
        if (pending.length > 1) return
        worker.ref()
        watch()
      }),
    answer(message: Message): void {
      const first = pending.shift()
      if (pending.length === 0) worker.unref()
      watch()
      if (message.kind === 'error') first?.reject(toDatabaseError(message.error))
      else first?.resolve(message)
    },
    rejectAll(reason: Error): void {
      clearTimeout(timer)
      for (const item of pending.splice(0)) item.reject(item === stopped ? overrunError() : reason)
    },
  }
}

function startWorker(boot: Boot): Worker {
  // The extension is .ts in sources and .js in the compiled package.
  const file = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)
  return new Worker(file, { workerData: boot, name: 'pglite', env: threadEnvironment() })
}

function overrunError(): Error {
  return Object.assign(
    toDatabaseError({ severity: 'ERROR', code: '57014', message: 'canceling statement due to statement timeout' }),
    { retryable: false },
  )
}
