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
    return new Pool({
      filename: new URL(`${module}${extname(importer)}`, importer).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      ...(needsSources && { execArgv: [SOURCES] }),
      ...(heapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 } }),
      env: threadEnvironment(),
    })
  }
}
