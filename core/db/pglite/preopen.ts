import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EngineError } from './errors.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'
import { startSession, type Session, type SessionEvents } from './session.ts'

export const SHARED_BUFFERS = '32MB'

/** A session that was opened before anybody asked for the database. */
export interface PreopenedSession {
  readonly session: Promise<Session>
  /** Releases the lock of the folder. */
  readonly unlock: () => void
  /** Sends events to these handlers from now on; a session that was lost before is reported at once. */
  subscribe(events: SessionEvents): void
}

let pending: { readonly folder: string; readonly preopened: PreopenedSession } | null = null

/**
 * Starts to open the embedded database of a folder while this thread has other things to do, such as loading the program.
 * Where that is not possible nothing happens, and opening the database reports why.
 */
export function preopenDatabase(dataDir: string): void {
  const folder = resolve(dataDir)
  let unlock: (() => void) | undefined
  try {
    unlock = lockFolder(folder)
    checkFolder(folder)
  } catch {
    unlock?.()
    return
  }
  let handlers: SessionEvents | null = null
  let lost: EngineError | null = null
  const session = startSession(
    { dataDir: folder, sharedBuffers: SHARED_BUFFERS, snapshot: null },
    {
      notification: (channel, payload) => handlers?.notification(channel, payload),
      overrun: (sql, limit) => handlers?.overrun(sql, limit),
      lost(reason) {
        lost = reason
        handlers?.lost(reason)
      },
    },
  )
  // The rejection is handled by whoever takes the session.
  session.catch(() => undefined)
  const subscribe = (events: SessionEvents): void => {
    handlers = events
    if (lost) events.lost(lost)
  }
  pending = { folder, preopened: { session, unlock, subscribe } }
}

/** Whether a folder holds a database already. */
export function hasCluster(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'))
}

/** Returns the session that was opened for this folder, once; null = none. */
export function takePreopened(folder: string): PreopenedSession | null {
  if (pending?.folder !== folder) return null
  const { preopened } = pending
  pending = null
  return preopened
}

/** Closes the session if nobody has taken it. */
export async function closePreopened(): Promise<void> {
  const preopened = pending && takePreopened(pending.folder)
  if (!preopened) return
  const session = await preopened.session.catch(() => null)
  await session?.close()
  preopened.unlock()
}
