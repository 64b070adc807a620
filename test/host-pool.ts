import { isDeepStrictEqual } from 'node:util'
import { testHost, type Engine, type TestHost, type TestHostOptions } from 'tasuki/testing'
import defaults from '../config/default.json' with { type: 'json' }

// To open a host takes longer than the tests of many suites, and neighbouring files in one process often want equal ones.

type Cleanup = () => Promise<void> | void
interface Scope {
  after(work: Cleanup): void
}
interface Kept {
  readonly key: string
  readonly host: TestHost
  close(): Promise<void>
}

/** Hosts that no suite uses now, one per engine; null = none are kept. */
let idle: Map<Engine, Kept> | null = null

/** From now on a suite hands its host on, emptied, to the next one that wants an equal one; ends with `closeHosts`. */
export function keepHosts(): void {
  idle = new Map()
}

export async function closeHosts(): Promise<void> {
  for (const kept of idle?.values() ?? []) await kept.close()
  idle = null
}

/** A host without data but for its owner: a new one, or one that an earlier suite had. */
export async function hostOfSuite(scope: Scope, options: TestHostOptions): Promise<TestHost> {
  const key = keyOf(options)
  if (!idle || key === null) return testHost(scope, options)
  const { engine = 'pglite' } = options
  const earlier = idle.get(engine)
  idle.delete(engine)
  const kept = (earlier && (await again(earlier, key))) ?? (await opened(key, options))
  scope.after(async () => {
    if (!idle || idle.has(engine) || kept.host.app.server.listening) return kept.close()
    // What it would write later, another host's test might count as statements of its own.
    await kept.host.calls.flush()
    kept.host.authenticator.takeUses()
    idle.set(engine, kept)
  })
  return kept.host
}

/** @returns null where it is another one than wanted. */
async function again(earlier: Kept, key: string): Promise<Kept | null> {
  if (earlier.key === key) return { ...earlier, host: await earlier.host.emptied() }
  await earlier.close()
  return null
}

async function opened(key: string, options: TestHostOptions): Promise<Kept> {
  const cleanups: Cleanup[] = []
  const host = await testHost({ after: work => void cleanups.push(work) }, options)
  return {
    key,
    host,
    async close() {
      for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
    },
  }
}

/** What two hosts have alike that can stand for each other; null where there is more to a host than its config. */
function keyOf({ engine: _engine, config = {}, ...others }: TestHostOptions): string | null {
  if (Object.keys(others).length > 0) return null
  const { plugins = {}, ...settings } = config as { readonly plugins?: Readonly<Record<string, unknown>> }
  const known: Readonly<Record<string, unknown>> = defaults.plugins
  const changed = Object.entries(plugins).filter(([name, value]) => !isDeepStrictEqual(value, known[name]))
  return JSON.stringify([settings, changed.toSorted(([a], [b]) => (a < b ? -1 : 1))])
}
