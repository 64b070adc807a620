import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Instance } from './instance.ts'
import type { Ledger, Outcome } from './ledger.ts'

export type Scenario = (rounds: number) => Promise<Outcome>

export const WRITERS = 4
/** Shorter than in production, to keep rounds short. */
export const QUERY_TIMEOUT_MS = 2000

/** Runs a part of a scenario during continuous writes. */
export async function underLoad<T>(
  ledger: Ledger,
  instance: () => Instance,
  { keyed }: { readonly keyed: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const writers = Array.from({ length: WRITERS }, () => ledger.write(instance, stop.signal, { keyed }))
  try {
    return await work()
  } finally {
    stop.abort()
    await Promise.all(writers)
  }
}

export async function inFolder<T>(work: (folder: string, configFile: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tasuki-faults-'))
  const configFile = join(folder, 'tasuki.json')
  await writeFile(configFile, JSON.stringify({ query_timeout_ms: QUERY_TIMEOUT_MS }))
  try {
    return await work(folder, configFile)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
