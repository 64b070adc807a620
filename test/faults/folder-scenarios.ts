import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mountDisk } from './disk.ts'
import { migratedFolder } from '../core/migrated-folder.ts'
import { startInstance } from './instance.ts'
import { Ledger } from './ledger.ts'
import { inFolder, underLoad, type Scenario } from './writing.ts'

const POWER = join(import.meta.dirname, 'power.ts')

/** Simulates a power cut during writes: only flushed data survives. */
export const powerCut: Scenario = rounds =>
  inFolder(async (root, configFile) => {
    const ledger = new Ledger()
    let dataDir = join(root, 'disk')
    await migratedFolder(dataDir)
    const first = await startInstance({ dataDir, configFile })
    await ledger.recover(() => first)
    await first.stop()
    for (let n = 0; n < rounds; n++) {
      const survives = join(root, `after ${n + 1}`)
      cpSync(dataDir, survives, { recursive: true })
      const env = { NODE_OPTIONS: `--import=${POWER}`, POWER_FOLDER: dataDir, POWER_SURVIVES: survives }
      const instance = await startInstance({ dataDir, configFile, env })
      await underLoad(
        ledger,
        () => instance,
        { keyed: false },
        async () => {
          await hasWritten(ledger, 5)
          await sleep(Math.random() * 500)
          await instance.kill()
        },
      )
      dataDir = survives
      const next = await startInstance({ dataDir, configFile })
      await ledger.recover(() => next)
      await next.stop()
    }
    const instance = await startInstance({ dataDir, configFile })
    const outcome = await ledger.outcome(instance, 'power cut', 'pglite', rounds)
    await instance.kill()
    return outcome
  })

/** Waits for more acknowledged writes, without a time limit. */
async function hasWritten(ledger: Ledger, more: number): Promise<void> {
  const enough = ledger.acknowledged + more
  for (const until = Date.now() + 60_000; ledger.acknowledged < enough && Date.now() < until;) await sleep(20)
}

/** Fills the disk during writes, and frees space again later. */
export const fullDisk: Scenario = rounds =>
  inFolder(async (root, configFile) => {
    const disk = mountDisk(join(root, 'disk'), 400)
    try {
      const ledger = new Ledger()
      const dataDir = join(disk.folder, 'data')
      await migratedFolder(dataDir)
      const instance = await startInstance({ dataDir, configFile })
      for (let n = 0; n < rounds; n++) {
        await underLoad(
          ledger,
          () => instance,
          { keyed: false },
          async () => {
            await hasWritten(ledger, 5)
            disk.fill()
            await sleep(2000)
            disk.free()
            await ledger.recover(() => instance)
          },
        )
      }
      const outcome = await ledger.outcome(instance, 'full disk', 'pglite', rounds)
      await instance.kill()
      return outcome
    } finally {
      disk.unmount()
    }
  })
