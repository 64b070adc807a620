import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { NPM, succeed } from './processes.ts'

/** Variable with the folder of a run's packed service; the test command sets it. */
export const PACKED = 'TEST_PACKED'

/**
 * Packs the service with `npm pack`. A run packs once, because packing takes most of a minute and writes `dist`, so two processes must not
 * pack at the same time.
 * @returns the path of the archive
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

/** Claims the packing. @returns true for the first process */
function claim(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
