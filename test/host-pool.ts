import { isDeepStrictEqual } from 'node:util'
import { testHost, type Engine, type TestHost, type TestHostOptions } from 'tasuki/testing'
import defaults from '../config/default.json' with { type: 'json' }

// A pool of hosts: opening a host takes longer than the tests of many suites, and neighbouring files in a process often need equal hosts.

type Cleanup = () => Promise<void> | void
interface Scope {
  after(work: Cleanup): void
}
interface Kept {
  readonly key: string
  readonly host: TestHost
  close(): Promise<void>
}

/** Unused hosts, one per engine; null if pooling is off. */
let idle: Map<Engine, Kept> | null = null

/** Turns pooling on: a suite then passes its emptied host to the next suite that needs an equal one. `closeHosts` ends it. */
export function keepHosts(): void {
  idle = new Map()
}

export async function closeHosts(): Promise<void> {
  for (const kept of idle?.values() ?? []) await kept.close()
  idle = null
}

/** Opens an empty host with an owner, or reuses the host of an earlier suite. */
export async function hostOfSuite(scope: Scope, options: TestHostOptions): Promise<TestHost> {
  const key = keyOf(options)
  if (!idle || key === null) return testHost(scope, options)
  const { engine = 'pglite' } = options
  const earlier = idle.get(engine)
  idle.delete(engine)
  const kept = (earlier && (await reuse(earlier, key))) ?? (await open(key, options))
  scope.after(async () => {
    if (!idle || idle.has(engine) || kept.host.app.server.listening) return kept.close()
    // Otherwise a test of another host could count these deferred writes as its own statements.
    await kept.host.calls.flush()
    await kept.host.audit.flush('all')
    kept.host.authenticator.takeUses()
    idle.set(engine, kept)
  })
  return kept.host
}

/** @returns null if the host does not match */
async function reuse(earlier: Kept, key: string): Promise<Kept | null> {
  if (earlier.key === key) return { ...earlier, host: await earlier.host.reset() }
  await earlier.close()
  return null
}

async function open(key: string, options: TestHostOptions): Promise<Kept> {
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

/** Computes the key of interchangeable hosts. @returns null if options other than the config define the host */
function keyOf({ engine: _engine, config = {}, ...others }: TestHostOptions): string | null {
  if (Object.keys(others).length > 0) return null
  const { plugins = {}, ...settings } = config as { readonly plugins?: Readonly<Record<string, unknown>> }
  const known: Readonly<Record<string, unknown>> = defaults.plugins
  const changed = Object.entries(plugins).filter(([name, value]) => !isDeepStrictEqual(value, known[name]))
  return JSON.stringify([settings, changed.toSorted(([a], [b]) => (a < b ? -1 : 1))])
}
