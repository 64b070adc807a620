import { SlotPool } from '../http/slot-pool.ts'
import { credentialOf, type Exchange } from './exchange.ts'
import type { RequestId } from './message.ts'

/**
 * Whether a request was given up. A class, because one is made per request and object literals with getters are slow to make;
 * its AbortSignal is made when somebody asks for it.
 */
export class Cancellation {
  #controller: AbortController | undefined
  #reason: string | undefined

  get cancelled(): boolean {
    return this.#reason !== undefined
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined && !this.#controller.signal.aborted) this.#controller.abort(new Error(this.#reason))
    return this.#controller.signal
  }

  cancel(reason: string): void {
    this.#reason ??= reason
    this.#controller?.abort(new Error(reason))
  }
}

/** Requests of the 2025 revisions that run in this process, so that `notifications/cancelled` finds them. */
export class InFlight {
  readonly #running = new SlotPool<Exchange>()
  /** @returns where it is, for `remove`. */
  add(exchange: Exchange): number {
    return this.#running.add(exchange)
  }
  remove(place: number): void {
    this.#running.remove(place)
  }
  /** Cancels the request of that key; none when two clients use the key at once, because it could be the wrong one. */
  cancel(key: string, reason: string): void {
    const found: Exchange[] = []
    this.#running.forEach(exchange => flightKey(exchange, exchange.request.id) === key && found.push(exchange))
    if (found.length === 1) found[0]!.cancellation.cancel(reason)
  }
}

/** Ids are unique per client only, and several clients may share a credential; what they call themselves tells them apart. */
export function flightKey({ http, principal }: Pick<Exchange, 'http' | 'principal'>, id: RequestId): string {
  const { 'mcp-session-id': session = '', 'user-agent': agent = '' } = http.headers
  return `${credentialOf(principal)} ${String(session)} ${agent} ${typeof id} ${id}`
}
