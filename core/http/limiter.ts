/** Result of a rate limit check, for the response headers (draft-ietf-httpapi-ratelimit-headers). */
export interface Allowance {
  readonly allowed: boolean
  /** Number of requests that would be allowed now. */
  readonly remaining: number
  /** Seconds until the full allowance is restored. */
  readonly resetSeconds: number
  /** Seconds until the next request is allowed; 0 if this one was. */
  readonly retrySeconds: number
}

export interface Limiter {
  take(key: string): Allowance
  /** Returns whether the next `take` would be refused. */
  isExhausted(key: string): boolean
  headers(allowance: Allowance): Readonly<Record<string, string>>
}

const MAX_KEYS = 50_000

/**
 * Creates a rate limiter per key, in this process: a burst of `most`, refilled evenly over the window (generic cell rate algorithm: one
 * number per key, and no sudden reset).
 */
export function createLimiter(name: string, most: number, windowSeconds: number, now: () => Date): Limiter {
  const window = windowSeconds * 1000
  const step = window / most
  // Time at which the allowance of a key is fully restored; least recently used keys first.
  const restoredAt = new Map<string, number>()
  /** Reads when a key is fully restored, at most one window from now, because a clock that was set back would otherwise block the key. */
  const readRestoredAt = (key: string, at: number): number => {
    const stored = restoredAt.get(key) ?? 0
    if (stored <= at + window) return stored
    restoredAt.set(key, at + window)
    return at + window
  }
  return {
    take(key) {
      const at = now().getTime()
      const before = Math.max(readRestoredAt(key, at), at)
      const after = before + step
      const allowed = after - at <= window
      if (allowed) {
        restoredAt.delete(key)
        restoredAt.set(key, after)
        if (restoredAt.size > MAX_KEYS) restoredAt.delete(restoredAt.keys().next().value!)
      }
      const used = (allowed ? after : before) - at
      return {
        allowed,
        remaining: Math.max(0, Math.floor((window - used) / step)),
        resetSeconds: Math.ceil(used / 1000),
        retrySeconds: allowed ? 0 : Math.max(1, Math.ceil((after - at - window) / 1000)),
      }
    },
    isExhausted(key) {
      const at = now().getTime()
      return readRestoredAt(key, at) + step - at > window
    },
    headers: ({ allowed, remaining, resetSeconds, retrySeconds }) => ({
      'ratelimit-policy': `"${name}";q=${most};w=${windowSeconds}`,
      ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
      ...(!allowed && { 'retry-after': String(retrySeconds) }),
    }),
  }
}
