/** Whether a request was given up; its AbortSignal is made when somebody asks for it. */
export interface Cancellation {
  readonly cancelled: boolean
  readonly signal: AbortSignal
  cancel(reason: string): void
}

export function cancellation(): Cancellation {
  let controller: AbortController | undefined
  let reason: string | undefined
  return {
    get cancelled() {
      return reason !== undefined
    },
    get signal() {
      controller ??= new AbortController()
      if (reason !== undefined && !controller.signal.aborted) controller.abort(new Error(reason))
      return controller.signal
    },
    cancel(why) {
      reason ??= why
      controller?.abort(new Error(why))
    },
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
        const left = running.get(key)?.filter(other => other !== request) ?? []
        if (left.length > 0) running.set(key, left)
        else running.delete(key)
      }
    },
    cancel(key, reason) {
      const found = running.get(key)
      if (found?.length === 1) found[0]!.cancel(reason)
    },
  }
}
