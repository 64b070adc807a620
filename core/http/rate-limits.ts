import { createLimiter, type Limiter } from './limiter.ts'
import { RequestRefusal } from './request-refusal.ts'

/** Most per minute; 0 = no limit. */
export interface RateLimitSettings {
  readonly requests_per_minute: number
  readonly writes_per_minute: number
  readonly wrong_tokens_per_minute: number
}

/** Limits of this process; null = none. */
export interface RateLimits {
  /** Requests of a credential, to the MCP endpoint and to the addresses for programs together. */
  readonly requests: Limiter | null
  /** Calls of tools and requests that write, of a credential. */
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

/** Counts one more of a key. @throws RequestRefusal 429 with Retry-After and the headers of rate limits, when there were too many */
export function takeFrom(limiter: Limiter | null | undefined, key: string, what: string): void {
  if (!limiter) return
  const allowance = limiter.take(key)
  if (allowance.allowed) return
  const message = `Too many ${what}; send the next one in ${allowance.retrySeconds} s`
  throw new RequestRefusal(429, 'rate_limited', message, limiter.headers(allowance))
}
