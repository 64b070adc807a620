import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from './processes.ts'
import { median } from './load.ts'
import type { Figure } from './report.ts'
import { comparePairs } from './rounds.ts'

const ROUNDS = 5
const MAX_SECONDS = 1.5

/** Measures the time from the start of the process until /readyz answers 200, on the embedded database. */
export async function measureStart(folder: string): Promise<Figure[]> {
  const env = { DATA_DIR: join(folder, 'data'), NODE_COMPILE_CACHE: join(folder, 'compiled'), LOG_LEVEL: 'warn' }
  const cold = await startTime(env)
  const copy = join(folder, 'copy')
  mkdirSync(copy)
  cpSync(join(env.DATA_DIR, 'database'), copy, { recursive: true })
  const warm: [number, number][] = []
  for (let round = 0; round < ROUNDS; round++) warm.push([await startTime(env), await openTime(copy)])
  const seconds = median(warm.map(pair => pair[0]))
  const value = (name: string, ours: number, target: Figure['target']): Figure => ({
    name,
    unit: 's',
    ours,
    theirs: null,
    ratio: null,
    target,
  })
  return [
    value('start to ready: first start', cold, null),
    value('start to ready: warm', seconds, { atMost: MAX_SECONDS }),
    comparePairs('start to ready: warm, against opening PGlite alone', 's', warm, null),
  ]
}

async function startTime(env: Readonly<Record<string, string>>): Promise<number> {
  const began = performance.now()
  const service = await startService(env)
  const seconds = (performance.now() - began) / 1000
  await service.stop()
  return seconds
}

const OPEN = `
  import { PGlite } from '@electric-sql/pglite'
  const db = await PGlite.create(process.argv[1])
  await db.query('select 1')
  process.stdout.write('ready')
  await db.close()
`

/** Measures the minimum: a process that only opens the same database. */
async function openTime(dataDir: string): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, ['--input-type=module', '-e', OPEN, dataDir], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  const seconds = (performance.now() - began) / 1000
  await exit
  return seconds
}
