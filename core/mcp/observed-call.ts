import { tracingChannel } from 'node:diagnostics_channel'
import type { ErrorCode } from '../plugin/errors.ts'
import type { RequestContext } from './request-context.ts'

/** How a call ended: `asked` = its user is asked first; `refused` = by the protocol, as where no tool of that name is shown. */
export type CallOutcome = 'ok' | 'asked' | 'refused' | 'failed' | ErrorCode

/** One tool call as operators see it: nothing of what it is about. */
export interface ObservedCall {
  readonly tool: string
  readonly requestId: string
  readonly userId: string
  /** Null for calls without a credential of their own. */
  readonly credentialId: string | null
  outcome: CallOutcome
  /** Sent to the database so far. */
  statements: number
  /** Milliseconds; set at the end. */
  ms: number
}

/** Tracing channel `tasuki.call`: begin and end of each, for spans. */
const calls = tracingChannel<unknown, ObservedCall>('tasuki.call')

/** Begins to observe a call. A name that is no tool's is left out, since it is the client's text. */
export function observeCall({ request, view, requestId, principal }: RequestContext): ObservedCall {
  const { name } = request.params
  const { userId, credentialId } = principal.actor
  const tool = typeof name === 'string' && view.tools.has(name) ? name : 'none'
  return { tool, requestId, userId, credentialId, outcome: 'ok', statements: 0, ms: performance.now() }
}

/** Runs a call so that who traces hears of its begin and end. */
export function traceCall<T>(call: ObservedCall, run: () => Promise<T>): Promise<T> {
  return calls.hasSubscribers ? calls.tracePromise(run, call) : run()
}
