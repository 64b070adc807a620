import { createLimiter, type Limiter } from './limiter.ts'
import { RequestRefusal } from './request-refusal.ts'

/** Limits per minute; 0 = unlimited. */
export interface RateLimitSettings {
  readonly requests_per_minute: number
  readonly writes_per_minute: number
  readonly wrong_tokens_per_minute: number
}

/** Rate limiters of this process; null = unlimited. */
export interface RateLimits {
  /** Requests per credential, to the MCP endpoint and to API routes together. */
  readonly requests: Limiter | null
  /** Writing tool calls and requests per credential. */
  readonly writes: Limiter | null
  /** Requests with an invalid token per network. */
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

/** Counts a request of a key. @throws RequestRefusal 429 with Retry-After and rate limit headers if the limit is exceeded */
export function consumeRateLimit(limiter: Limiter | null | undefined, key: string, what: string): void {
  if (!limiter) return
  const allowance = limiter.take(key)
  if (allowance.allowed) return
  const message = `Too many ${what}; send the next one in ${allowance.retrySeconds} s`
  throw new RequestRefusal(429, 'rate_limited', message, limiter.headers(allowance))
}
