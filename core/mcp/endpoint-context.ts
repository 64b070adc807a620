import type { InFlight } from './in-flight.ts'
import type { McpOptions } from './options.ts'
import type { StateSealer } from './request-state.ts'
import type { Revisions } from './revisions.ts'
import type { Sessions } from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { FairQueue } from './fair-queue.ts'
import type { UnderWay } from './under-way.ts'

/** What all requests of one endpoint share. */
export interface EndpointContext {
  readonly options: McpOptions
  readonly resultSizeLimit: number
  readonly revisions: Revisions
  readonly sessions: Sessions
  readonly subscriptions: Subscriptions
  readonly states: StateSealer
  readonly inFlight: InFlight
  readonly underWay: UnderWay
  readonly callQueue: FairQueue
  /** Ids of confirmations that a request of a stateless revision waits for in this process. */
  readonly awaited: Set<string>
  /** Aborted when the host closes: what waits for a person ends. */
  readonly closing: AbortSignal
}
