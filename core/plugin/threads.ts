import { addAbortListener } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname, extname } from 'node:path'
import type { Piscina } from 'piscina'

/** A thread does not inherit the hook of `core/cli/tasuki.js`, by which a checkout resolves the imports of this package to its sources. */
const SOURCES = '--conditions=tasuki-source'
const needsSources = extname(import.meta.url) === '.ts' && !process.execArgv.includes(SOURCES)

/** Returns the variables of a worker thread. Threads do not inherit the compile cache, and would compile the sources again. */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir()
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) }
}

/** A worker thread that starts on first use and ends when idle. */
export interface ThreadOptions {
  /** Milliseconds until an idle thread ends. */
  readonly idleMs: number
  /** Limit of the old heap in megabytes; default: that of Node. Bytes and `JSON.parse` are not held by it. */
  readonly heapMb?: number
}

/**
 * Defines a worker thread that runs the functions of a module. To start quickly, the module imports `tasuki/worker`, not `tasuki/plugin`.
 * @param importer `import.meta.url` of the module beside it
 * @param module its path without extension, for example `./markdown-worker`
 * @returns a function that returns the pool
 */
export function defineThread(
  importer: string,
  module: string,
  { idleMs, heapMb }: ThreadOptions,
): () => Promise<Piscina> {
  let pool: Promise<Piscina> | undefined
  return () => (pool ??= start())

  async function start(): Promise<Piscina> {
    const { Piscina: Pool } = await import('piscina')
    const pool = new Pool({
      filename: new URL(`${module}${extname(importer)}`, importer).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      ...(needsSources && { execArgv: [SOURCES] }),
      ...(heapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 } }),
      env: threadEnvironment(),
    })
    return Object.assign(pool, { run: runInTurn(pool) })
  }
}

/** Keeps waiting tasks out of the queue of the pool, which starts no thread for them when one ends by an abort or for lack of memory. */
function runInTurn(pool: Piscina): Piscina['run'] {
  const run = pool.run.bind(pool)
  let last: Promise<unknown> = Promise.resolve()
  return (task, options = {}) => {
    const { signal } = options
    const aborted = signal instanceof AbortSignal && new Promise(resolve => addAbortListener(signal, resolve))
    const running = Promise.race([last, aborted || last]).then(() => run(task, options))
    last = Promise.allSettled([last, running])
    return running
  }
}
