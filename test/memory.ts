import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** File system in memory on Linux. */
const FOLDER = '/dev/shm'
const ENOUGH_BYTES = 8 * 1024 ** 3

/**
 * Returns a folder in memory for temporary files, if the machine has enough memory: tests create and delete databases with thousands of
 * files.
 */
export function folderInMemory(): string | null {
  const probe = join(FOLDER, `tasuki-probe-${process.pid}`)
  try {
    const { bavail, bsize } = statfsSync(FOLDER)
    if (Math.min(bavail * bsize, process.availableMemory()) < ENOUGH_BYTES) return null
    // Tests also install programs there, which many containers do not allow.
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 })
    execFileSync(probe)
    return FOLDER
  } catch {
    return null
  } finally {
    rmSync(probe, { force: true })
  }
}
