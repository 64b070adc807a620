import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const MIB = 1024 * 1024

/** The reason why this machine cannot create a separate disk; false if it can. */
export const noDisk: string | false =
  process.platform === 'linux' && process.getuid?.() === 0 ? false : 'needs root on Linux'

/** A separate disk in memory that tests can fill and make read-only. */
export interface SmallDisk {
  readonly folder: string
  /** Fills all free space. */
  fill(): void
  free(): void
  /** Makes the disk read-only, including files that are already open. */
  readOnly(is: boolean): void
  unmount(): void
}

export function mountDisk(folder: string, megabytes: number): SmallDisk {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tasuki-faults', folder])
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'w')
      try {
        for (const size of [MIB, 4096]) fillWith(file, Buffer.alloc(size))
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast, { force: true }),
    readOnly: is => void execFileSync('mount', ['-o', `remount,${is ? 'ro' : 'rw'}`, folder]),
    unmount: () => void execFileSync('umount', ['-l', folder]),
  }
}

function fillWith(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
