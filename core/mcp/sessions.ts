import { randomUUID } from 'node:crypto'
import type { LogLevel } from '../plugin/context.ts'
import type { ClientCapabilities } from './client-info.ts'
import type { RequestId, RpcResponse } from './message.ts'
import type { Revision } from './revisions.ts'

const IDLE_MS = 60 * 60_000
/** More than the windows and agents that share one token; a client that comes back to a session that has gone starts over. */
export const SESSIONS_PER_CREDENTIAL = 100
export const TOTAL_SESSIONS = 10_000
const TOTAL_INTRODUCTIONS = 10_000

/** What a client of the 2025 revisions said of itself in `initialize`, with a way to ask it something. */
export interface Session {
  readonly id: string
  readonly credential: string
  readonly revision: Revision
  readonly capabilities: ClientCapabilities
  readonly clientName: string | null
  readonly clientVersion: string | null
  logLevel: LogLevel
  /** Registers a question under a fresh id; the promise settles with the client's response, or fails when the session ends. */
  expect(signal: AbortSignal): { readonly id: number; readonly response: Promise<RpcResponse> }
  /** Hands a response to whoever waits for it. */
  settle(response: RpcResponse): void
  /** Fails the questions that wait. */
  end(): void
}
export type SessionClient = Pick<Session, 'credential' | 'revision' | 'capabilities' | 'clientName' | 'clientVersion'>

/** What is remembered of a client without a session: enough to name it and to honour its log level. */
export interface Introduction {
  readonly clientName: string | null
  readonly clientVersion: string | null
  readonly logLevel: LogLevel
}

export interface Sessions {
  /**
   * Ends the least recently used session of the same credential where it has as many as it may have.
   * @returns null when the process is full and the credential has none that could make room: nobody loses a session to somebody else.
   */
  open(client: SessionClient): Session | null
  /** Undefined when it does not exist, has been idle for an hour, or belongs to another credential. */
  find(id: string, credential: string): Session | undefined
  close(id: string, credential: string): boolean
  introduce(credential: string, introduction: Introduction): void
  introduction(credential: string): Introduction | undefined
}

/** Sessions live in this process; every map here is in least recently used order, so that the oldest come first. */
export function createSessions(now: () => Date): Sessions {
  const sessions = new Map<string, { readonly session: Session; readonly usedAt: number }>()
  const idsByCredential = new Map<string, Set<string>>()
  const introductions = new Map<string, Introduction>()

  const remove = (session: Session): void => {
    const { id, credential } = session
    sessions.delete(id)
    const ids = idsByCredential.get(credential)!
    ids.delete(id)
    if (ids.size === 0) idsByCredential.delete(credential)
    session.end()
  }
  const touch = (session: Session): void => {
    const { id, credential } = session
    sessions.delete(id)
    sessions.set(id, { session, usedAt: now().getTime() })
    const ids = idsByCredential.get(credential) ?? new Set()
    ids.delete(id)
    idsByCredential.set(credential, ids.add(id))
  }
  const removeIdle = (): void => {
    const since = now().getTime() - IDLE_MS
    for (const { session, usedAt } of sessions.values()) {
      if (usedAt > since) break
      remove(session)
    }
  }
  return {
    open(client) {
      removeIdle()
      const own = idsByCredential.get(client.credential)
      if (own && (own.size >= SESSIONS_PER_CREDENTIAL || sessions.size >= TOTAL_SESSIONS)) {
        const [oldest] = own
        remove(sessions.get(oldest!)!.session)
      }
      if (sessions.size >= TOTAL_SESSIONS) return null
      const session = createSession(client)
      touch(session)
      return session
    },
    find(id, credential) {
      removeIdle()
      const session = sessions.get(id)?.session
      if (session?.credential !== credential) return undefined
      touch(session)
      return session
    },
    close(id, credential) {
      const session = sessions.get(id)?.session
      if (session?.credential !== credential) return false
      remove(session)
      return true
    },
    introduce(credential, introduction) {
      introductions.delete(credential)
      introductions.set(credential, introduction)
      if (introductions.size > TOTAL_INTRODUCTIONS) introductions.delete(introductions.keys().next().value!)
    },
    introduction: credential => introductions.get(credential),
  }
}

function createSession(client: SessionClient): Session {
  const waiting = new Map<RequestId, PromiseWithResolvers<RpcResponse>>()
  let last = 0
  return {
    ...client,
    id: randomUUID(),
    logLevel: 'info',
    expect(signal) {
      const id = ++last
      const question = Promise.withResolvers<RpcResponse>()
      const stop = (): void => question.reject(signal.reason as Error)
      waiting.set(id, question)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      const response = question.promise.finally(() => {
        waiting.delete(id)
        signal.removeEventListener('abort', stop)
      })
      return { id, response }
    },
    settle: response => waiting.get(response.id)?.resolve(response),
    end() {
      for (const question of waiting.values()) question.reject(new Error('its session has ended'))
    },
  }
}
