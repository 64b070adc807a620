import { sql } from 'kysely'
import { accessSync, constants, existsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, resolve } from 'node:path'
import { fileProblem, fullDisk } from '../../db/file-problem.ts'
import type { Environment } from '../../host/config/environment.ts'
import { originOf } from '../../host/start.ts'
import { tryExternalServices } from '../../host/external-services.ts'
import type { Db } from '../../plugin/context.ts'
import type { Registry } from '../../runtime/registry/types.ts'
import { tryToListen, type Address } from '../listen.ts'

/** A line of `tasuki doctor`. */
export interface Finding {
  readonly state: 'ok' | 'note' | 'wrong'
  readonly what: string
}

export const ok = (what: string): Finding => ({ state: 'ok', what })
export const note = (what: string): Finding => ({ state: 'note', what })
export const wrong = (what: string): Finding => ({ state: 'wrong', what })

/** Memory that the service needs in MB; decision 58 describes the measurement. */
const NEEDED_MB = { embedded: 512, postgres: 256 }
/** How long doctor waits for a database or another service. */
export const ATTEMPT_MS = 10_000
/** Within one data centre a statement takes about a millisecond. */
const SLOW_MS = 20
/** Maximum clock skew. Tokens, cookies and S3 signatures tolerate more, but a larger skew means that the clock is not synchronized. */
const MAX_SKEW_MS = 5000
const MB = 1024 * 1024

/** Checks the memory of the machine or container. */
export function checkMemory({ databaseUrl }: Environment): Finding {
  const needed = databaseUrl === null ? NEEDED_MB.embedded : NEEDED_MB.postgres
  const total = Math.floor(Math.min(process.constrainedMemory() || Infinity, totalmem()) / MB)
  const free = Math.floor(process.availableMemory() / MB)
  if (total < needed) return wrong(`memory: ${total} MB, and ${needed} MB are needed: give it more`)
  if (free < needed) return note(`memory: ${free} MB of ${total} MB are free, and the service needs ${needed} MB`)
  return ok(`memory: ${total} MB, of which the service needs ${needed} MB`)
}

/** Finds out whether files can be written to a folder, or to the existing one above it. @param what setting that names the folder */
export async function checkFolderWritable(what: string, folder: string): Promise<Finding[]> {
  let place = resolve(folder)
  while (!existsSync(place)) place = dirname(place)
  let problem = await fullDisk(place)
  try {
    // The slash makes the check of a file fail.
    accessSync(`${place}/`, constants.W_OK | constants.X_OK)
  } catch (error) {
    problem = fileProblem(error) ?? (error as Error).message
  }
  return problem === null ? [] : [wrong(`${what}: ${folder} cannot be written: ${problem}`)]
}

/** Finds out whether the service may listen where it is to, unless it does so already. */
export async function checkAddress({ host, port, variable }: Address): Promise<Finding[]> {
  const problem = await tryToListen({ host, port, variable }).catch((error: Error) => error.message)
  if (problem === undefined) return []
  const origin = originOf({ baseUrl: null, host, port })
  const path = variable === 'PORT' ? '/readyz' : '/metrics'
  const isService = await fetch(origin + path, { signal: AbortSignal.timeout(ATTEMPT_MS) })
    .then(async response => /^\{"status":|^# HELP /.test(await response.text()))
    .catch(() => false)
  return isService ? [ok(`${variable}: the service answers at ${origin}`)] : [wrong(`${variable}: ${problem}`)]
}

/** Checks all configured external services. */
export async function checkExternalServices(registry: Pick<Registry, 'all' | 'config'>): Promise<Finding[]> {
  const attempts = await tryExternalServices(registry, ATTEMPT_MS)
  return attempts.map(({ what, mend, ms, problem }) =>
    problem === null ? ok(`${what} answers, after ${ms} ms`) : wrong(`${what} does not work: ${problem}; ${mend}`),
  )
}

/** Measures how long a statement takes, of which most calls need two to five. */
export async function checkLatency(db: Db): Promise<Finding[]> {
  const times: number[] = []
  for (let n = 0; n < 5; n++) {
    const began = performance.now()
    await db.selectNoFrom(({ lit }) => lit(1).as('one')).execute()
    times.push(performance.now() - began)
  }
  const ms = Math.round(Math.min(...times))
  if (ms < SLOW_MS) return []
  return [note(`database: a statement takes ${ms} ms; run the service nearer to the database, most calls need several`)]
}

/** Compares the clock with that of the database, and with the time of the last migration. */
export async function checkClock(db: Db): Promise<Finding> {
  const before = Date.now()
  const { rows } = await sql<{ now: number; migrated: number | null }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now,
      (select extract(epoch from max(executed_at))::float8 * 1000 from core.migrations) as migrated`.execute(db)
  const { now, migrated } = rows[0]!
  const skew = Math.round(Math.abs(now - (before + Date.now()) / 2))
  const mend = 'set the clocks, for example by NTP: links, tokens and reminders go by them'
  if (skew > MAX_SKEW_MS) return wrong(`clock: ${Math.round(skew / 1000)} s from that of the database; ${mend}`)
  if (migrated !== null && migrated > before + MAX_SKEW_MS)
    return wrong(`clock: it is behind what the database has seen already; ${mend}`)
  return ok(`clock: ${new Date(before).toISOString()}, as that of the database`)
}
