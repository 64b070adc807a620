import { createLimiter, type Limiter } from '../http/limiter.ts'
import { httpError } from './message.ts'

/** Most per minute; 0 = no limit. */
export interface RateLimitSettings {
  readonly requests_per_minute: number
  readonly writes_per_minute: number
  readonly wrong_tokens_per_minute: number
}

/** Limits of this process; null = none. */
export interface RateLimits {
  /** Requests of a credential. */
  readonly requests: Limiter | null
  /** Calls of tools that write, of a credential. */
  readonly writes: Limiter | null
  /** Requests of a network with a token that is not valid. */
  readonly wrongTokens: Limiter | null
}

export function createRateLimits(settings: RateLimitSettings, now: () => Date): RateLimits {
  const limiter = (name: string, most: number): Limiter | null => (most > 0 ? createLimiter(name, most, 60, now) : null)
  return {
    requests: limiter('requests', settings.requests_per_minute),
    writes: limiter('writes', settings.writes_per_minute),
    wrongTokens: limiter('wrong-tokens', settings.wrong_tokens_per_minute),
  }
}

/** Counts one more of a key. @throws RpcError 429 with Retry-After and the headers of rate limits, when there were too many */
export function takeFrom(limiter: Limiter | null | undefined, key: string, what: string): void {
  if (!limiter) return
  const allowance = limiter.take(key)
  if (allowance.allowed) return
  throw httpError(429, `Too many ${what}; send the next one in ${allowance.retrySeconds} s`, limiter.headers(allowance))
}
