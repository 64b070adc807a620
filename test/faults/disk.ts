import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const MIB = 1024 * 1024

/** Why there can be no disk of its own here; false where there can. */
export const noDisk: string | false =
  process.platform === 'linux' && process.getuid?.() === 0 ? false : 'needs root on Linux'

/** A disk of its own in memory, which can be filled and be made read-only. */
export interface SmallDisk {
  readonly folder: string
  /** Takes all that is free. */
  fill(): void
  free(): void
  /** Also for what is open already. */
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
