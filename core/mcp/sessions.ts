import { randomUUID } from 'node:crypto'
import type { LogLevel } from '../plugin/context.ts'
import type { RequestId, RpcResponse } from './message.ts'
import type { Revision } from './revisions.ts'

const IDLE_MS = 60 * 60_000
const MOST_SESSIONS = 10_000
const MOST_INTRODUCTIONS = 10_000

/** What a client of the 2025 revisions said of itself in `initialize`, with a way to ask it something. */
export interface Session {
  readonly id: string
  readonly credential: string
  readonly revision: Revision
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly clientName: string | null
  logLevel: LogLevel
  /** Registers a question under a fresh id; the promise settles with the client's response. */
  expect(signal: AbortSignal): { readonly id: number; readonly response: Promise<RpcResponse> }
  /** Hands a response to whoever waits for it. */
  settle(response: RpcResponse): void
}

/** What is remembered of a client without a session: enough to name it and to honour its log level. */
export interface Introduction {
  readonly clientName: string | null
  readonly logLevel: LogLevel
}

export interface Sessions {
  open(client: Pick<Session, 'credential' | 'revision' | 'capabilities' | 'clientName'>): Session
  /** Undefined when it does not exist, has been idle for an hour, or belongs to another credential. */
  find(id: string, credential: string): Session | undefined
  close(id: string, credential: string): boolean
  introduce(credential: string, introduction: Introduction): void
  introduction(credential: string): Introduction | undefined
}

/** Sessions live in this process and in least recently used order, so that the oldest are the first of the map. */
export function createSessions(now: () => Date): Sessions {
  const sessions = new Map<string, { readonly session: Session; usedAt: number }>()
  const introductions = new Map<string, Introduction>()
  const forgetIdle = (): void => {
    for (const [id, { usedAt }] of sessions) {
      if (sessions.size <= MOST_SESSIONS && usedAt > now().getTime() - IDLE_MS) break
      sessions.delete(id)
    }
  }
  return {
    open(client) {
      const session = createSession(client)
      sessions.set(session.id, { session, usedAt: now().getTime() })
      forgetIdle()
      return session
    },
    find(id, credential) {
      forgetIdle()
      const found = sessions.get(id)
      if (!found || found.session.credential !== credential) return undefined
      sessions.delete(id)
      sessions.set(id, { session: found.session, usedAt: now().getTime() })
      return found.session
    },
    close(id, credential) {
      return sessions.get(id)?.session.credential === credential && sessions.delete(id)
    },
    introduce(credential, introduction) {
      introductions.delete(credential)
      introductions.set(credential, introduction)
      if (introductions.size > MOST_INTRODUCTIONS) introductions.delete(introductions.keys().next().value!)
    },
    introduction: credential => introductions.get(credential),
  }
}

function createSession(client: Pick<Session, 'credential' | 'revision' | 'capabilities' | 'clientName'>): Session {
  const waiting = new Map<RequestId, (response: RpcResponse) => void>()
  let last = 0
  return {
    ...client,
    id: randomUUID(),
    logLevel: 'info',
    expect(signal) {
      const id = ++last
      const response = new Promise<RpcResponse>((resolve, reject) => {
        const stop = (): void => {
          waiting.delete(id)
          reject(signal.reason as Error)
        }
        waiting.set(id, found => {
          waiting.delete(id)
          signal.removeEventListener('abort', stop)
          resolve(found)
        })
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop, { once: true })
      })
      return { id, response }
    },
    settle: response => waiting.get(response.id)?.(response),
  }
}
