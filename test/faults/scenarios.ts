import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '../../core/testing/database.ts'
import { migratedFolder } from '../core/migrated-folder.ts'
import { faultyNetwork } from '../network-fault-host.ts'
import { noDisk } from './disk.ts'
import { fullDisk, powerCut } from './folder-scenarios.ts'
import { startInstance } from './instance.ts'
import { Ledger } from './ledger.ts'
import { noNamespace } from './namespace.ts'
import { dropped, moved } from './silence.ts'
import { oneOfThree } from './three-instances.ts'
import { inFolder, QUERY_TIMEOUT_MS, underLoad, WRITERS, type Scenario } from './writing.ts'

/** Kills the process during writes, and starts it again. */
const killed =
  (engine: 'pglite' | 'postgres'): Scenario =>
  rounds =>
    inFolder(async (dataDir, configFile) => {
      const database = engine === 'postgres' ? await createTestDatabase() : null
      if (!database) await migratedFolder(dataDir)
      const options = { dataDir, configFile, ...(database && { databaseUrl: database.url }) }
      const ledger = new Ledger()
      let instance = await startInstance(options)
      for (let n = 0; n < rounds; n++) {
        await underLoad(
          ledger,
          () => instance,
          { keyed: false },
          async () => {
            await sleep(300 + Math.random() * 500)
            await instance.kill()
          },
        )
        instance = await startInstance(options)
        await ledger.recover(() => instance)
      }
      const outcome = await ledger.outcome(instance, 'killed', engine, rounds)
      await instance.kill()
      await database?.drop()
      return outcome
    })

type Network = Awaited<ReturnType<typeof faultyNetwork>>

/** Breaks the network between an instance and PostgreSQL. */
const network =
  (scenario: string, keyed: boolean, fault: (network: Network) => Promise<void>): Scenario =>
  rounds =>
    inFolder(async (dataDir, configFile) => {
      const { url, drop } = await createTestDatabase()
      const wire = await faultyNetwork(new URL(url))
      const instance = await startInstance({ dataDir, configFile, databaseUrl: wire.url })
      const ledger = new Ledger()
      for (let n = 0; n < rounds; n++) {
        await underLoad(
          ledger,
          () => instance,
          { keyed },
          async () => {
            await sleep(200)
            await fault(wire)
            await ledger.recover(() => instance)
          },
        )
      }
      const outcome = await ledger.outcome(instance, scenario, 'postgres', rounds)
      await instance.kill()
      await wire.close()
      await drop()
      return outcome
    })

/** Freezes one of two instances while both write for one owner. */
const frozen: Scenario = rounds =>
  inFolder(async (dataDir, configFile) => {
    const { url, drop } = await createTestDatabase()
    const options = { dataDir, configFile, databaseUrl: url }
    const instance = await startInstance(options)
    const other = await startInstance({ ...options, dataDir: join(dataDir, 'other') })
    const ledger = new Ledger()
    for (let n = 0; n < rounds; n++) {
      await underLoad(
        ledger,
        () => other,
        { keyed: true },
        async () => {
          await sleep(200 + Math.random() * 100)
          other.signal('SIGSTOP')
          for (let m = 0; m < 5; m++) await ledger.recover(() => instance)
          await sleep(QUERY_TIMEOUT_MS)
          other.signal('SIGCONT')
        },
      )
    }
    const outcome = await ledger.outcome(instance, 'frozen instance', 'postgres', rounds)
    await Promise.all([instance.kill(), other.kill()])
    await drop()
    return outcome
  })

/** The reason why a scenario cannot run on this machine; false if it can. */
export const unfit: Readonly<Record<string, string | false>> = {
  'power cut': process.platform !== 'linux' && 'needs Linux, which reports the path of an open file',
  'full disk': noDisk,
  'packets dropped': noNamespace,
  'database moved': noNamespace,
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  'power cut': powerCut,
  'full disk': fullDisk,
  'one of three': oneOfThree,
  'killed pglite': killed('pglite'),
  'killed postgres': killed('postgres'),
  failover: network('silent failover', true, async wire => {
    wire.fallSilent()
    await sleep(500)
    wire.recover()
  }),
  partition: network('connections reset', true, async wire => wire.breakOff()),
  'lost commits': network('lost commits', true, async wire => wire.loseCommits(WRITERS)),
  frozen,
  'packets dropped': dropped,
  'database moved': moved,
}
