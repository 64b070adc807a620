import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { NPM, succeed } from './processes.ts'

/** Names the folder of a run's packed service; set by the test command. */
export const PACKED = 'TEST_PACKED'

/**
 * The service as `npm pack` makes it. A run packs it once: packing takes most of a minute and writes `dist`, so two processes must not do it at once.
 * @returns the path of the archive.
 */
export async function packedService(): Promise<string> {
  const folder = process.env[PACKED]
  if (folder === undefined) throw new Error(`${PACKED} is not set: run the tests by npm test`)
  const [archive, failed] = [join(folder, 'tasuki.tgz'), join(folder, 'failed')]
  if (claim(folder)) {
    try {
      await succeed(NPM, ['pack', '--pack-destination', folder], { cwd: join(import.meta.dirname, '..') })
      renameSync(
        join(
          folder,
          readdirSync(folder).find(name => name.endsWith('.tgz'))!,
        ),
        archive,
      )
    } catch (error) {
      writeFileSync(failed, '')
      throw error
    }
  }
  while (!existsSync(archive)) {
    if (existsSync(failed)) throw new Error('npm pack failed in another test of this run')
    await pause(100)
  }
  return archive
}

/** True for the first process that asks. */
function claim(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
