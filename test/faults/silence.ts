import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '../../core/testing/database.ts'
import { startInstance, type Instance } from './instance.ts'
import { Ledger } from './ledger.ts'
import { makeMachine, type Machine } from './namespace.ts'
import { inFolder, underLoad, type Scenario } from './writing.ts'

const SILENT_MS = 5000
/** /readyz decides within 2 s; a loaded machine gets one second more. */
const DECIDED_MS = 3000

/**
 * Runs an instance in a network namespace. Packets between the instance and PostgreSQL vanish, without a reset or an error.
 * @param end ends the silence
 */
const silence =
  (scenario: string, end: (machine: Machine) => void): Scenario =>
  rounds =>
    inFolder(async (dataDir, configFile) => {
      const { url, drop } = await createTestDatabase()
      const machine = await makeMachine(new URL(url))
      const ledger = new Ledger()
      let [readSeconds, untrue] = [0, 0]
      let started: Instance | undefined
      try {
        const instance = await startInstance({ dataDir, configFile, databaseUrl: machine.databaseUrl, machine })
        started = instance
        for (let n = 0; n < rounds; n++)
          await underLoad(
            ledger,
            () => instance,
            { keyed: true },
            async () => {
              await sleep(300)
              machine.cut()
              const watched = watchReadiness(instance, SILENT_MS)
              await sleep(SILENT_MS)
              untrue += await watched
              end(machine)
              const [read] = await Promise.all([secondsUntilRead(instance), ledger.recover(() => instance)])
              readSeconds = Math.max(readSeconds, read)
              untrue += (await isReadyAgain(instance)) ? 0 : 1
            },
          )
        return { ...(await ledger.outcome(instance, scenario, 'postgres', rounds)), readSeconds, untrue }
      } finally {
        await started?.kill()
        machine.close()
        await drop()
      }
    })

export const dropped = silence('packets dropped', machine => machine.mend())
export const moved = silence('database moved', machine => machine.move())

/**
 * Counts the answers of /readyz that are late, or that say ready although the database has been silent for longer than the detection time.
 */
async function watchReadiness({ origin }: Instance, during: number): Promise<number> {
  const began = performance.now()
  let untrue = 0
  while (performance.now() - began < during) {
    await sleep(100)
    const asked = performance.now()
    const { status } = await fetch(`${origin}/readyz`)
    const answered = performance.now()
    const isStillSilent = answered - began < during
    if (answered - asked > DECIDED_MS || (status === 200 && isStillSilent && asked - began > DECIDED_MS)) untrue++
  }
  return untrue
}

async function isReadyAgain({ origin }: Instance): Promise<boolean> {
  const until = performance.now() + 2 * DECIDED_MS
  for (;;) {
    const { status } = await fetch(`${origin}/readyz`)
    if (status === 200) return true
    if (performance.now() > until) return false
    await sleep(100)
  }
}

async function secondsUntilRead(instance: Instance): Promise<number> {
  const since = performance.now()
  while (!(await instance.call('tasks_list', { limit: 1 }))?.ok && performance.now() - since < 120_000) await sleep(50)
  return Math.round((performance.now() - since) / 100) / 10
}
