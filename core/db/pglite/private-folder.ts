import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lockPath } from './folder-lock.ts'

const OTHERS_MODE = 0o077

/** Paths of an embedded database: its folder and its lock file. */
export function databasePaths(folder: string): readonly string[] {
  return [folder, lockPath(folder)]
}

/** Returns the paths that users other than the owner can access. */
export function findExposedPaths(paths: readonly string[]): readonly string[] {
  // Windows uses access control lists instead of modes. Of a link, the mode of its target counts.
  if (process.platform === 'win32') return []
  return paths.filter(path => existsSync(path) && (statSync(path).mode & OTHERS_MODE) !== 0)
}

/**
 * Sets mode 0700 for folders and 0600 for files, recursively, where other users have access.
 * If the file system or another owner forbids the change, the modes stay and `doctor` reports them.
 */
export function restrictAccess(paths: readonly string[]): void {
  for (const path of findExposedPaths(paths)) {
    try {
      restrict(path, statSync(path).isDirectory())
    } catch (error) {
      if (!FORBIDDEN.has((error as NodeJS.ErrnoException).code)) throw error
    }
  }
}
const FORBIDDEN: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EROFS', 'ENOTSUP'])

function restrict(path: string, isFolder: boolean): void {
  // The folder first: that already makes everything below it inaccessible.
  chmodSync(path, isFolder ? 0o700 : 0o600)
  if (!isFolder) return
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory() || entry.isFile()) restrict(join(path, entry.name), entry.isDirectory())
}
