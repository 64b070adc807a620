import type { InFlight } from './in-flight.ts'
import type { McpOptions } from './options.ts'
import type { StateSealer } from './request-state.ts'
import type { Revisions } from './revisions.ts'
import type { Sessions } from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { FairQueue } from './fair-queue.ts'
import type { OpenRequestLimit } from './open-request-limit.ts'

/** State shared by all requests of one endpoint. */
export interface EndpointContext {
  readonly options: McpOptions
  readonly resultSizeLimit: number
  readonly revisions: Revisions
  readonly sessions: Sessions
  readonly subscriptions: Subscriptions
  readonly states: StateSealer
  readonly inFlight: InFlight
  readonly openRequests: OpenRequestLimit
  readonly callQueue: FairQueue
  /** Ids of confirmations that a request of a stateless revision in this process waits for. */
  readonly awaitedConfirmations: Set<string>
  /** Aborted when the host shuts down, to end waits for user decisions. */
  readonly closing: AbortSignal
}
