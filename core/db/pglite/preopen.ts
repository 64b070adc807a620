import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EngineError } from './errors.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'
import { startSession, type Session, type SessionEvents } from './session.ts'

export const SHARED_BUFFERS = '32MB'

/** A session that was begun before it is known who will use it. */
export interface EarlySession {
  readonly session: Promise<Session>
  /** Gives the folder back. */
  readonly unlock: () => void
  /** From now on these are told; what was lost before is told at once. */
  hear(events: SessionEvents): void
}

let begun: { readonly folder: string; readonly early: EarlySession } | null = null

/**
 * Begins to open the embedded database of a folder while this thread has other things to do, such as loading the program.
 * Where that is not possible nothing happens: who opens the database in earnest is told why.
 */
export function beginEarly(dataDir: string): void {
  const folder = resolve(dataDir)
  let unlock: (() => void) | undefined
  try {
    unlock = lockFolder(folder)
    checkFolder(folder)
  } catch {
    unlock?.()
    return
  }
  let heard: SessionEvents | null = null
  let lost: EngineError | null = null
  const session = startSession(
    { dataDir: folder, sharedBuffers: SHARED_BUFFERS, snapshot: null },
    {
      notification: (channel, payload) => heard?.notification(channel, payload),
      overrun: (sql, limit) => heard?.overrun(sql, limit),
      lost(reason) {
        lost = reason
        heard?.lost(reason)
      },
    },
  )
  // Whoever takes it hears of a failure.
  session.catch(() => undefined)
  const hear = (events: SessionEvents): void => {
    heard = events
    if (lost) events.lost(lost)
  }
  begun = { folder, early: { session, unlock, hear } }
}

/** Whether a folder holds a database already. */
export function hasCluster(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'))
}

/** What was begun for this folder, once. */
export function takeEarly(folder: string): EarlySession | null {
  if (begun?.folder !== folder) return null
  const { early } = begun
  begun = null
  return early
}

/** Closes what nobody has taken. */
export async function endEarly(): Promise<void> {
  const early = begun && takeEarly(begun.folder)
  if (!early) return
  const session = await early.session.catch(() => null)
  await session?.close()
  early.unlock()
}
