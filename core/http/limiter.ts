/** How a request fares against a limit, for the answer's headers (draft-ietf-httpapi-ratelimit-headers). */
export interface Allowance {
  readonly allowed: boolean
  /** Requests that would be let through now. */
  readonly remaining: number
  /** Seconds until the limit is as if nothing had been asked. */
  readonly resetSeconds: number
  /** Seconds until the next request is let through; 0 when this one was. */
  readonly retrySeconds: number
}

export interface Limiter {
  take(key: string): Allowance
  /** Whether the next `take` would be refused. */
  isExhausted(key: string): boolean
  headers(allowance: Allowance): Readonly<Record<string, string>>
}

const MOST_KEYS = 50_000

/**
 * Limits how often something may be done per key, in this process: `most` at once, and after that evenly over the window
 * (generic cell rate algorithm: one number per key, and no moment at which all is forgiven).
 */
export function createLimiter(name: string, most: number, windowSeconds: number, now: () => Date): Limiter {
  const window = windowSeconds * 1000
  const step = window / most
  // When the allowance of a key is whole again; the longest untouched key comes first.
  const wholeAt = new Map<string, number>()
  /** When a key is whole again, at the latest after the window: a clock that was set back would keep it waiting for the difference. */
  const readWholeAt = (key: string, at: number): number => {
    const kept = wholeAt.get(key) ?? 0
    if (kept <= at + window) return kept
    wholeAt.set(key, at + window)
    return at + window
  }
  return {
    take(key) {
      const at = now().getTime()
      const before = Math.max(readWholeAt(key, at), at)
      const after = before + step
      const allowed = after - at <= window
      if (allowed) {
        wholeAt.delete(key)
        wholeAt.set(key, after)
        if (wholeAt.size > MOST_KEYS) wholeAt.delete(wholeAt.keys().next().value!)
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
      return readWholeAt(key, at) + step - at > window
    },
    headers: ({ allowed, remaining, resetSeconds, retrySeconds }) => ({
      'ratelimit-policy': `"${name}";q=${most};w=${windowSeconds}`,
      ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
      ...(!allowed && { 'retry-after': String(retrySeconds) }),
    }),
  }
}
