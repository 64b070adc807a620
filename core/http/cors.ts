import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Settings of @fastify/cors for one route. */
    readonly cors?: FastifyCorsOptions
  }
}

/** What a page on an allowed origin may read of a response. */
const EXPOSED_HEADERS = [
  'WWW-Authenticate',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Deprecation',
  'Sunset',
]

/** Adds CORS to a server: off, except on routes whose config has `allowOrigins`. */
export async function registerCors(app: FastifyInstance): Promise<void> {
  if (!app.hasPlugin('@fastify/cors')) await app.register(cors, { origin: false })
}

/**
 * The config of a route that pages of these origins may use; it has to take OPTIONS too, which is answered before its own hooks.
 * @param origins `*` = every one
 */
export function allowOrigins(
  origins: '*' | ((origin: string) => boolean),
  methods: readonly string[],
): FastifyContextConfig {
  return {
    cors: {
      origin: origins === '*' ? '*' : (origin, answer) => answer(null, origin !== undefined && origins(origin)),
      methods: [...methods],
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: 86_400,
      strictPreflight: false,
    },
  }
}
