import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of Linux: a file system in memory. */
const FOLDER = '/dev/shm'
const ENOUGH_BYTES = 8 * 1024 ** 3

/** A folder for temporary files that are in memory, where there is plenty of it: databases of some thousand files come and go with the tests. */
export function folderInMemory(): string | null {
  const probe = join(FOLDER, `tasuki-probe-${process.pid}`)
  try {
    const { bavail, bsize } = statfsSync(FOLDER)
    if (Math.min(bavail * bsize, process.availableMemory()) < ENOUGH_BYTES) return null
    // Programs are installed there too, which many containers forbid.
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 })
    execFileSync(probe)
    return FOLDER
  } catch {
    return null
  } finally {
    rmSync(probe, { force: true })
  }
}
