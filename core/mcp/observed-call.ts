import { tracingChannel } from 'node:diagnostics_channel'
import type { ErrorCode } from '../plugin/errors.ts'
import type { RequestContext } from './request-context.ts'

/** Outcome of a call. `asked`: the user has to answer first. `refused`: a protocol error, such as an unknown tool. */
export type CallOutcome = 'ok' | 'asked' | 'refused' | 'failed' | ErrorCode

/** A tool call for operators, without its arguments and result. */
export interface ObservedCall {
  readonly tool: string
  readonly requestId: string
  readonly userId: string
  /** Null for calls without their own credential. */
  readonly credentialId: string | null
  outcome: CallOutcome
  /** Number of statements sent so far. */
  statements: number
  /** Milliseconds; set at the end. */
  ms: number
}

/** Tracing channel `tasuki.call`: start and end of each call, for spans. */
const calls = tracingChannel<unknown, ObservedCall>('tasuki.call')

/** Starts to observe a call. An unknown tool name is not recorded, because it is arbitrary text from the client. */
export function observeCall({ request, view, requestId, principal }: RequestContext): ObservedCall {
  const { name } = request.params
  const { userId, credentialId } = principal.actor
  const tool = typeof name === 'string' && view.tools.has(name) ? name : 'none'
  return { tool, requestId, userId, credentialId, outcome: 'ok', statements: 0, ms: performance.now() }
}

/** Runs a call and publishes its start and end on the tracing channel. */
export function traceCall<T>(call: ObservedCall, run: () => Promise<T>): Promise<T> {
  return calls.hasSubscribers ? calls.tracePromise(run, call) : run()
}
