import { SlotPool } from '../http/slot-pool.ts'
import type { RequestId } from './message.ts'
import { credentialOf, type RequestContext } from './request-context.ts'

/** Requests of the 2025 revisions that run in this process, so that `notifications/cancelled` finds them. */
export class InFlight {
  readonly #running = new SlotPool<RequestContext>()
  /** @returns where it is, for `remove`. */
  add(context: RequestContext): number {
    return this.#running.add(context)
  }
  remove(place: number): void {
    this.#running.remove(place)
  }
  /** Cancels the request of that key; none when two clients use the key at once, because it could be the wrong one. */
  cancel(key: string, reason: string): void {
    const found: RequestContext[] = []
    this.#running.forEach(context => flightKey(context, context.request.id) === key && found.push(context))
    if (found.length === 1) found[0]!.cancellation.cancel(reason)
  }
}

/** Ids are unique per client only, and several clients may share a credential; what they call themselves tells them apart. */
export function flightKey({ http, principal }: Pick<RequestContext, 'http' | 'principal'>, id: RequestId): string {
  const { 'mcp-session-id': session = '', 'user-agent': agent = '' } = http.headers
  return `${credentialOf(principal)} ${String(session)} ${agent} ${typeof id} ${id}`
}
