import { randomUUID } from 'node:crypto'
import type { LogLevel } from '../plugin/context.ts'
import type { ClientCapabilities } from './client-info.ts'
import type { RequestId, RpcResponse } from './message.ts'
import type { Revision } from './revisions.ts'
import { HOUR_MS } from '../plugin/durations.ts'

const IDLE_MS = HOUR_MS
/** More than the windows and agents that share one token. A client whose session was removed starts a new one. */
export const SESSIONS_PER_CREDENTIAL = 100
export const TOTAL_SESSIONS = 10_000
const TOTAL_SESSIONLESS_CLIENTS = 10_000

/** Session of a client of the 2025 revisions: its data from `initialize`, and a way to send it requests. */
export interface Session {
  readonly id: string
  readonly credential: string
  readonly revision: Revision
  readonly capabilities: ClientCapabilities
  readonly clientName: string | null
  readonly clientVersion: string | null
  logLevel: LogLevel
  /** Registers a request under a new id. The promise settles with the client's response, or rejects when the session ends. */
  expect(signal: AbortSignal): { readonly id: number; readonly response: Promise<RpcResponse> }
  /** Resolves the pending request that a response belongs to. */
  settle(response: RpcResponse): void
  /** Rejects the pending requests. */
  end(): void
}
export type SessionClient = Pick<Session, 'credential' | 'revision' | 'capabilities' | 'clientName' | 'clientVersion'>

/** A client without a session: its name and log level. */
type SessionlessClient = Readonly<Pick<Session, 'clientName' | 'clientVersion' | 'logLevel'>>

export interface Sessions {
  /**
   * Opens a session. Ends the least recently used session of the same credential if the credential is at its limit.
   * @returns null if the process is full and the credential has no session to replace; sessions of others are never ended
   */
  open(client: SessionClient): Session | null
  /** Returns undefined if the session does not exist, was idle for an hour or belongs to another credential. */
  find(id: string, credential: string): Session | undefined
  close(id: string, credential: string): boolean
  storeClient(credential: string, client: SessionlessClient): void
  findClient(credential: string): SessionlessClient | undefined
}

/** Creates the session store of this process. Each map is in least recently used order, oldest first. */
export function createSessions(now: () => Date): Sessions {
  const sessions = new Map<string, { readonly session: Session; readonly usedAt: number }>()
  const idsByCredential = new Map<string, Set<string>>()
  const clients = new Map<string, SessionlessClient>()

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
    storeClient(credential, client) {
      clients.delete(credential)
      clients.set(credential, client)
      if (clients.size > TOTAL_SESSIONLESS_CLIENTS) clients.delete(clients.keys().next().value!)
    },
    findClient: credential => clients.get(credential),
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
      const abort = (): void => question.reject(signal.reason as Error)
      waiting.set(id, question)
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
      const response = question.promise.finally(() => {
        waiting.delete(id)
        signal.removeEventListener('abort', abort)
      })
      return { id, response }
    },
    settle: response => waiting.get(response.id)?.resolve(response),
    end() {
      for (const question of waiting.values()) question.reject(new Error('its session has ended'))
    },
  }
}
