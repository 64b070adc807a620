import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Settings of @fastify/cors for one route. */
    readonly cors?: FastifyCorsOptions
  }
}

/** Response headers that pages of an allowed origin may read. */
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

/** Registers CORS, disabled except for routes with `allowOrigins` in their config. */
export async function registerCors(app: FastifyInstance): Promise<void> {
  if (!app.hasPlugin('@fastify/cors')) await app.register(cors, { origin: false })
}

/**
 * Returns the config of a route that pages of these origins may call. The route must accept OPTIONS, which is answered before its hooks.
 * @param origins `*` = all origins
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
