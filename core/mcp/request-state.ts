import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ClientAnswers } from '../plugin/context.ts'
import { INVALID_PARAMS, RpcError } from './message.ts'
import { MINUTE_MS } from '../plugin/durations.ts'

const LIFETIME_MS = 10 * MINUTE_MS

/** The page on which a call asks its user. */
export interface AskedPage {
  readonly id: string
  /** The client reported that the user opens the page; the decision is still pending. */
  readonly opened: boolean
}

/** State of a call from earlier rounds. The client stores it, so it is signed. */
export interface CallState {
  /** Whether the host (for a confirmation) or the handler asked the question that is now answered. */
  readonly asking: 'host' | 'handler'
  /** The user agreed to the call in an earlier round. */
  readonly agreed: boolean
  /** Digest of the effect in the question of the host. */
  readonly effect?: string
  /** Set if the host asks on a page. */
  readonly page?: AskedPage
  /** Answers of earlier rounds, in the order of the questions. */
  readonly rounds: readonly ClientAnswers[]
  /** The handler's state for the question that is now answered. */
  readonly pending?: unknown
}

/** What a state is bound to. Another credential or request cannot use it. */
export interface StateBinding {
  readonly credential: string
  readonly method: string
  /** Digest of name (or URI) and arguments. */
  readonly digest: string
}

export interface StateSealer {
  seal(state: CallState, binding: StateBinding): string
  /** @throws RpcError -32602 if the state was modified, has expired or belongs to another request */
  open(text: unknown, binding: StateBinding): CallState
}

export function createStateSealer(key: Buffer, now: () => Date): StateSealer {
  const mac = (body: string, { credential, method, digest }: StateBinding): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([body, credential, method, digest]))
      .digest()
  return {
    seal(state, binding) {
      const body = Buffer.from(JSON.stringify([now().getTime() + LIFETIME_MS, state])).toString('base64url')
      return `${body}.${mac(body, binding).toString('base64url')}`
    },
    open(text, binding) {
      const [body = '', signature = ''] = typeof text === 'string' ? text.split('.', 2) : []
      const expected = mac(body, binding)
      const received = Buffer.from(signature, 'base64url')
      if (received.length === expected.length && timingSafeEqual(received, expected)) {
        const [expires, state] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, CallState]
        if (expires > now().getTime()) return state
      }
      throw new RpcError(INVALID_PARAMS, 'Invalid params: requestState is not valid for this request or has expired', {
        data: { reason: 'invalid_request_state' },
      })
    },
  }
}
