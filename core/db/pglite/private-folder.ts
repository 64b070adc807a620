import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockPath } from './folder-lock.ts'

const OTHERS = 0o077

/** What an embedded database is on the disk: its folder and the lock beside it. */
export function databasePaths(folder: string): readonly string[] {
  return [folder, lockPath(folder)]
}

/** Of files and folders, those that others than their owner can open. */
export function exposedPaths(paths: readonly string[]): readonly string[] {
  // Windows has lists of access rights instead.
  if (process.platform === 'win32') return []
  return paths.filter(path => existsSync(path) && (lstatSync(path).mode & OTHERS) !== 0)
}

/**
 * Gives folders 0700 and files 0600, where they were open to others, with all that is in them.
 * Where the file system or another owner forbids it, the modes stay as they are, and `doctor` says so.
 */
export function restrictAccess(paths: readonly string[]): void {
  try {
    for (const path of exposedPaths(paths)) restrict(path, lstatSync(path).isDirectory())
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
