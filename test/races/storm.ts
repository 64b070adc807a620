import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHost, type TestHost } from 'tasuki/testing'
import { randomOf } from '../random.ts'
import { findViolations } from './invariants.ts'
import { addWriters, outcomeOf, type Writer } from './world.ts'

/** Number of concurrent calls. */
const AT_ONCE = 8
/** Errors on which a caller cannot act. Concurrent valid calls must end in an answer about the record. */
const FAULTS = new Set(['internal', 'unavailable'])
/** Error of a guest whose access was revoked. */
const GONE = /: 401: /

export interface Storm {
  readonly calls: number
  readonly writers: number
  /** Number of pairs of writers that ran concurrently. */
  readonly pairs: number
  /** Deadlocks that PostgreSQL resolved; the service retries the call, which costs a second. */
  readonly deadlocks: number
  /** Internal errors and violated invariants. */
  readonly failures: readonly string[]
}

/** Runs all writers concurrently, on one account after the other. @param rounds number of accounts */
export async function runAllWriters(
  engine: 'pglite' | 'postgres',
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<Storm> {
  const { host, close } = await startHost({ engine, config: { confirm: 'off', plugins: { project_admin: {} } } })
  const folder = await mkdtemp(join(tmpdir(), 'tasuki-race-'))
  try {
    const random = randomOf(seed)
    const pairs = new Set<string>()
    const names = new Set<string>()
    const failures: string[] = []
    let calls = 0
    for (let round = 0; round < rounds; round++) {
      const { ownerId, writers } = await addWriters(host, round, folder)
      const waiting = random.shuffle([...writers, ...writers])
      const running = new Set<Writer>()
      const work = async (): Promise<void> => {
        for (let writer = waiting.pop(); writer; writer = waiting.pop()) {
          for (const other of running) pairs.add([writer.name, other.name].toSorted().join(' + '))
          running.add(writer)
          const concurrent = [...running].map(({ name }) => name).join(', ')
          const code = await outcomeOf(writer.run)
          running.delete(writer)
          calls++
          names.add(writer.name)
          if (code !== null && !GONE.test(code) && (FAULTS.has(code) || code.includes(' ')))
            failures.push(`${writer.name} during ${concurrent}: ${code}`)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      for (const broken of await findViolations(host, ownerId)) failures.push(`round ${round}: ${broken}`)
    }
    const deadlocks = engine === 'postgres' ? await deadlocksOf(host) : 0
    return { calls, writers: names.size, pairs: pairs.size, deadlocks, failures }
  } finally {
    await close()
    await rm(folder, { recursive: true })
  }
}

async function deadlocksOf(host: TestHost): Promise<number> {
  // PostgreSQL sessions report their statistics a second later.
  await sleep(1500)
  const [row] = await host.sql<{ count: number }>`
    select deadlocks::int as count from pg_stat_database where datname = current_database()`
  return row!.count
}
