import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EngineError } from './errors.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'
import { startSession, type Session, type SessionEvents } from './session.ts'

/** A session that was opened before the program needed it. */
export interface PreopenedSession {
  readonly session: Promise<Session>
  /** Releases the folder lock. */
  readonly unlock: () => void
  /** Forwards events to these handlers; reports a session that was already lost at once. */
  subscribe(events: SessionEvents): void
}

let pending: { readonly folder: string; readonly preopened: PreopenedSession } | null = null

/**
 * Starts to open the embedded database while the main thread loads the program.
 * Does nothing on failure, because opening the database later reports the reason.
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
  let lossReason: EngineError | null = null
  const forward: SessionEvents = {
    notification: (channel, payload) => handlers?.notification(channel, payload),
    overrun: (sql, limit) => handlers?.overrun(sql, limit),
    lost(reason) {
      lossReason = reason
      handlers?.lost(reason)
    },
  }
  const session = startSession({ dataDir: folder, snapshot: null }, forward)
  // The code that takes the session handles the rejection.
  session.catch(() => undefined)
  const subscribe = (events: SessionEvents): void => {
    handlers = events
    if (lossReason) events.lost(lossReason)
  }
  pending = { folder, preopened: { session, unlock, subscribe } }
}

/** Returns whether a folder holds a database. */
export function hasCluster(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'))
}

/** Returns the session that was opened for this folder and hands it over; null if there is none. */
export function takePreopened(folder: string): PreopenedSession | null {
  if (pending?.folder !== folder) return null
  const { preopened } = pending
  pending = null
  return preopened
}

/** Closes the session if it was not taken. */
export async function closePreopened(): Promise<void> {
  const preopened = pending && takePreopened(pending.folder)
  if (!preopened) return
  const session = await preopened.session.catch(() => null)
  await session?.close()
  preopened.unlock()
}
