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
export interface InFlight {
  /** Returns the function that removes it. */
  add(key: string, request: Cancellation): () => void
  /** Cancels the request under that key; none when two clients use the key at once, because it could be the wrong one. */
  cancel(key: string, reason: string): void
}

export function inFlight(): InFlight {
  const running = new Map<string, Cancellation[]>()
  return {
    add(key, request) {
      const same = running.get(key)
      if (same) same.push(request)
      else running.set(key, [request])
      return () => {
        const left = running.get(key)
        if (!left || left.length === 1) running.delete(key)
        else left.splice(left.indexOf(request), 1)
      }
    },
    cancel(key, reason) {
      const found = running.get(key)
      if (found?.length === 1) found[0]!.cancel(reason)
    },
  }
}
