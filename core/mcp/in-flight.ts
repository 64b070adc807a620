import { SlotPool } from '../http/slot-pool.ts'
import type { RequestId } from './message.ts'
import { credentialOf, type RequestContext } from './request-context.ts'

/** Running requests of the 2025 revisions in this process, for `notifications/cancelled`. */
export class InFlight {
  readonly #running = new SlotPool<RequestContext>()
  /** @returns the slot, for `remove` */
  add(context: RequestContext): number {
    return this.#running.add(context)
  }
  remove(place: number): void {
    this.#running.remove(place)
  }
  /** Cancels the request with this key. Does nothing if two clients use the key at once, because it could cancel the wrong request. */
  cancel(key: string, reason: string): void {
    const found: RequestContext[] = []
    this.#running.forEach(context => inFlightKey(context, context.request.id) === key && found.push(context))
    if (found.length === 1) found[0]!.cancellation.cancel(reason)
  }
}

/**
 * Key of a running request. Request ids are unique per client only, and clients may share a credential, so the key includes session and
 * user agent.
 */
export function inFlightKey({ http, principal }: Pick<RequestContext, 'http' | 'principal'>, id: RequestId): string {
  const { 'mcp-session-id': session = '', 'user-agent': agent = '' } = http.headers
  return `${credentialOf(principal)} ${String(session)} ${agent} ${typeof id} ${id}`
}
