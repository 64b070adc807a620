import { closeSync, existsSync, openSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileProblem, makeFolder } from '../file-problem.ts'
import { HostError } from '../../plugin/errors.ts'

/** Major version of PGlite's PostgreSQL, which cannot open clusters of other major versions. */
export const POSTGRES_MAJOR = '18'
const SQLITE_BUSY = 5

/**
 * Locks the folder for this process. The kernel releases the lock whenever the process ends, even by a crash.
 * @returns a function that releases the lock
 * @throws HostError if another process, or another call in this one, holds it
 */
export function lockFolder(folder: string): () => void {
  let file: DatabaseSync | undefined
  try {
    makeFolder(dirname(folder), 0o700)
    // Next to the folder, not in it, because a new cluster is renamed to the folder's name when it is complete.
    const path = lockPath(folder)
    // SQLite would create the file with the default permissions.
    closeSync(openSync(path, 'a', 0o600))
    file = new DatabaseSync(path, { timeout: 0 })
    file.exec('pragma locking_mode = exclusive; pragma journal_mode = off; begin exclusive')
  } catch (error) {
    file?.close()
    throw (error as { readonly errcode?: unknown }).errcode === SQLITE_BUSY
      ? inUse(folder)
      : new HostError(`${lockPath(folder)} cannot be written: ${fileProblem(error) ?? String(error)}`)
  }
  const lock = file
  return () => lock.close()
}

/** Path of the lock file of a folder. */
export function lockPath(folder: string): string {
  return `${folder}.lock`
}

/** Path of the mark of a folder whose database was copied to PostgreSQL. It holds the address, without the password. */
export function movedMark(folder: string): string {
  return `${folder}.moved`
}

/**
 * Checks the content of the folder before the database is opened.
 * @returns true if there is no cluster yet
 * @throws HostError if the database has moved, or the folder holds a cluster of another PostgreSQL version, or other files
 */
export function checkFolder(folder: string): boolean {
  const mark = movedMark(folder)
  if (existsSync(mark))
    throw new HostError(
      `the database in ${folder} was copied to ${readFileSync(mark, 'utf8').trim()}, so what is done here would not be done there: ` +
        `set DATABASE_URL to that database, or delete ${mark} to use this one nevertheless`,
    )
  if (!existsSync(folder)) return true
  const versionFile = join(folder, 'PG_VERSION')
  if (!existsSync(versionFile)) {
    if (readdirSync(folder).length === 0) return true
    throw new HostError(
      `The folder ${folder} holds files but no database. Point DATA_DIR to an empty or a new folder, or move the files away.`,
    )
  }
  const found = readFileSync(versionFile, 'utf8').trim()
  if (found === POSTGRES_MAJOR) return false
  throw new HostError(
    `The folder ${folder} holds a PostgreSQL ${found} database; this version of tasuki opens PostgreSQL ${POSTGRES_MAJOR} only. ` +
      'Run tasuki backup with the version that wrote it, then tasuki restore with this one into a new folder.',
  )
}

function inUse(folder: string): HostError {
  return new HostError(
    `The database folder ${folder} is in use by another tasuki process. ` +
      'To run a command while the server runs, give it the same DATA_DIR: it is passed on to the server. ' +
      'To run a second server, give it another DATA_DIR, or give both one PostgreSQL server by DATABASE_URL.',
  )
}
