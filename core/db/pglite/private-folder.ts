import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockPath } from './folder-lock.ts'

const OTHERS = 0o077

/** Of an embedded database, the folder and the lock beside it where others than their owner can open them. */
export function exposedPaths(folder: string): readonly string[] {
  // Windows has lists of access rights instead.
  if (process.platform === 'win32') return []
  return [folder, lockPath(folder)].filter(path => existsSync(path) && (lstatSync(path).mode & OTHERS) !== 0)
}

/**
 * Gives a folder 0700 and its files 0600, where they were open to others.
 * Where the file system or another owner forbids it, the modes stay as they are, and `doctor` says so.
 */
export function restrictAccess(folder: string): void {
  try {
    for (const path of exposedPaths(folder)) restrict(path, path === folder)
  } catch (error) {
    if (!FORBIDDEN.has((error as NodeJS.ErrnoException).code)) throw error
  }
}
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EROFS', 'ENOTSUP'])

function restrict(path: string, isFolder: boolean): void {
  // A folder comes before what is in it: with it everything below is out of reach.
  chmodSync(path, isFolder ? 0o700 : 0o600)
  if (!isFolder) return
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory() || entry.isFile()) restrict(join(path, entry.name), entry.isDirectory())
  }
}
