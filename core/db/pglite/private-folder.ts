import { chmodSync, closeSync, lstatSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const ALL_OF_OTHERS = 0o077
/** There files have lists of access rights instead of modes. */
const HAS_MODES = process.platform !== 'win32'

/** Whether nobody but its owner can open a file or a folder. */
export function isPrivate(path: string): boolean {
  return !HAS_MODES || (lstatSync(path).mode & ALL_OF_OTHERS) === 0
}

/**
 * Gives a folder 0700 and its files 0600.
 * Where the file system or another owner forbids it, the modes stay as they are, and `doctor` says so.
 */
export function makePrivate(folder: string): void {
  ignoreForbidden(() => restrict(folder))
}

function restrict(folder: string): void {
  // The folder first: with it everything below is out of reach.
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) restrict(path)
    else if (entry.isFile()) chmodSync(path, 0o600)
  }
}

/** Makes an empty file that only its owner can open, or closes the one that is there to others. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
  if (!isPrivate(path)) ignoreForbidden(() => chmodSync(path, 0o600))
}

function ignoreForbidden(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!FORBIDDEN.has((error as NodeJS.ErrnoException).code)) throw error
  }
}
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EROFS', 'ENOTSUP'])
