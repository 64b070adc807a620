import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, sql } from 'kysely'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbedded } from '../../../core/db/pglite/client.ts'
import { embeddedDialect } from '../../../core/db/pglite/dialect.ts'
import type { Figure } from '../report.ts'
import { comparePairs } from '../rounds.ts'
import { figureWithoutTarget } from './in-turn.ts'

const ROWS = 2000
const READS = 150
const ROUNDS = 5
const LIMIT_MS = 1500
/** Longer than the service lets a transaction stay idle. */
const MAX_MS = 10_000
const QUIET = { debug() {}, info() {}, warn() {}, error() {} }

type Db = Kysely<never>

/** Compares the embedded database as the service runs it, in a thread, with PGlite under Kysely's own dialect, both in a folder. */
export async function measureEmbedded(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-bench-embedded-'))
  const embedded = await openEmbedded({ dataDir: join(folder, 'ours'), queryTimeout: LIMIT_MS, log: QUIET })
  const ours: Db = new Kysely({ dialect: embeddedDialect(embedded) })
  const pglite = await PGlite.create(join(folder, 'theirs'))
  const theirs: Db = new Kysely({ dialect: new PGliteDialect({ pglite }) })
  try {
    for (const db of [ours, theirs]) {
      await sql`create table things (id int primary key, title text not null)`.execute(db)
      await sql`insert into things select n, 'Thing ' || n from generate_series(1, ${sql.lit(ROWS)}) n`.execute(db)
    }
    const reads: [number, number][] = []
    const writes: [number, number][] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const pair: [number, number] = [await perStatement(ours, read), await perStatement(theirs, read)]
      const writePair: [number, number] = [await perStatement(ours, write), await perStatement(theirs, write)]
      // The first round is a warm-up.
      if (round > 0) {
        reads.push(pair)
        writes.push(writePair)
      }
    }
    const figures = [
      comparePairs('time of a read by key, one after the other', 'ms', reads, null),
      comparePairs('time of a write by key, ours reaches the disk', 'ms', writes, null),
      figureWithoutTarget(
        'event loop lag during a query over 150,000 rows',
        'ms',
        await lagOf(ours),
        await lagOf(theirs),
      ),
      figureWithoutTarget(
        `until a query outside an open transaction that waits for it is answered, at most ${MAX_MS}`,
        'ms',
        await untilFreed(ours),
        await untilFreed(theirs),
      ),
    ]
    const runaway = performance.now()
    await sql`select count(*) from generate_series(1, 1000000000)`.execute(ours).catch(() => undefined)
    figures.push(
      figureWithoutTarget(
        `until a runaway query is stopped, limit ${LIMIT_MS} (PGlite has none)`,
        'ms',
        performance.now() - runaway,
        null,
      ),
    )
    return figures
  } finally {
    await embedded.close()
    // A PGlite transaction that waits for itself never ends, so its close would not end either.
    await Promise.race([pglite.close(), sleep(500)])
    rmSync(folder, { recursive: true, force: true })
  }
}

const read = (db: Db, n: number) => sql`select id, title from things where id = ${n % ROWS}`.execute(db)
const write = (db: Db, n: number) => sql`update things set title = ${`Thing ${n}`} where id = ${n % ROWS}`.execute(db)

async function perStatement(db: Db, run: typeof read): Promise<number> {
  const began = performance.now()
  for (let n = 0; n < READS; n++) await run(db, n)
  return (performance.now() - began) / READS
}

async function lagOf(db: Db): Promise<number> {
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  histogram.enable()
  // The first tick has no previous tick to compare with.
  await sleep(20)
  await sql`select sum(sqrt(n)) from generate_series(1, 150000) n`.execute(db)
  await sleep(5)
  histogram.disable()
  return histogram.max / 1e6
}

async function untilFreed(db: Db): Promise<number> {
  const began = performance.now()
  const work = db.transaction().execute(async () => {
    // A handler that wrongly uses the database instead of its transaction does this.
    await read(db, 1)
  })
  await Promise.race([work.catch(() => undefined), sleep(MAX_MS)])
  return performance.now() - began
}
