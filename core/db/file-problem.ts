import { existsSync, mkdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { causesOf } from './failure.ts'

/** Room that a restart may need. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024

/** Problems of a disk or folder, as messages for operators, by system error code, SQLSTATE or message. */
const PROBLEMS: readonly (readonly [sign: RegExp, problem: string])[] = [
  [
    /\b(?:ENOSPC|53100|EDQUOT)\b|no space left on device|disk quota exceeded|database or disk is full/i,
    'the disk is full: free some space on it',
  ],
  [
    /\bEROFS\b|read-only file system|attempt to write a readonly database/i,
    'the file system is read-only: mount it for writing, or set DATA_DIR to another folder',
  ],
  [/\bENOTDIR\b|\bEEXIST\b.*\bmkdir\b/, 'it, or a folder above it, is a file: name another one'],
  // The error of `mkdir` on a read-only file system and below /proc.
  [/\bENOENT\b.*\bmkdir\b/, 'its file system is read-only, or it is not there'],
  [
    /\b(?:EACCES|EPERM)\b|permission denied/i,
    'this user may not write there: change the owner of the folder, or set DATA_DIR to another one',
  ],
]

/** System error codes by Emscripten's errno; Emscripten throws errors that are not instances of `Error`. */
const EMSCRIPTEN: Readonly<Record<number, string>> = {
  2: 'EACCES',
  19: 'EDQUOT',
  51: 'ENOSPC',
  63: 'EPERM',
  69: 'EROFS',
}

/** Returns what is wrong with a disk or folder, or null if the error has another cause. */
export function fileProblem(error: unknown): string | null {
  for (const { code, message, errno = 0 } of causesOf(error) as readonly Partial<NodeJS.ErrnoException>[]) {
    const signs = `${code ?? EMSCRIPTEN[errno] ?? ''} ${message ?? ''}`
    const found = PROBLEMS.find(([sign]) => sign.test(signs))
    if (found) return found[1]
  }
  return null
}

/**
 * Returns the message for a full disk if that of a folder lacks the needed bytes, since PGlite does not say why it fails; else null. A file
 * system that reports no blocks, such as a tmpfs without limit, is not full.
 */
export async function fullDisk(folder: string | null, needed = WAL_SEGMENT_BYTES): Promise<string | null> {
  const disk = folder === null ? null : await statfs(folder).catch(() => null)
  return disk && disk.blocks > 0 && disk.bavail * disk.bsize < needed ? PROBLEMS[0]![1] : null
}

/** Makes a folder that an operator names, and those above it. The recursive `mkdir` of Node never returns below /proc, where none can be made. */
export function makeFolder(folder: string, mode?: number): void {
  // The slash leaves out files.
  if (existsSync(`${folder}/`)) return
  makeFolder(dirname(folder), mode)
  try {
    mkdirSync(folder, mode)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(`${folder}/`)) throw error
  }
}

/** Returns whether the disk of the database is full, here or on its server. */
export function isDiskFull(error: unknown): boolean {
  return fileProblem(error) === PROBLEMS[0]![1]
}
