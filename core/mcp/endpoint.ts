import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { registerCors } from '../http/cors.ts'
import type { Publisher } from '../plugin/publisher.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { InFlight } from './in-flight.ts'
import { DEFAULT_RESULT_CEILING, type McpOptions } from './options.ts'
import { pipeline } from './pipeline.ts'
import { createStateSealer } from './request-state.ts'
import { revisionTable } from './revisions.ts'
import { serverCard } from './server-card.ts'
import { createSessions } from './sessions.ts'
import { createSubscriptions } from './subscriptions.ts'
import { FairQueue } from './fair-queue.ts'
import { OpenRequestLimit } from './open-request-limit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Notifies subscribed MCP clients of changes. */
    mcpPublisher: Publisher
  }
}

/**
 * Serves the Model Context Protocol at `/mcp`: four revisions over Streamable HTTP, stateless unless a client of 2025 can be asked for
 * input.
 *
 * Responds 403 to a foreign Host or Origin, 401 to a missing or invalid token, 405 to methods other than POST and DELETE, 415 or 400 to a
 * body that is not JSON, 413 to a body that is too large, and 406 to an unsupported `Accept`.
 */
export const mcpEndpoint = fp(serve, { name: 'mcp', fastify: '5.x' })

async function serve(app: FastifyInstance, options: McpOptions): Promise<void> {
  const closing = new AbortController()
  const endpoint: EndpointContext = {
    options,
    resultSizeLimit: options.resultSizeLimit ?? DEFAULT_RESULT_CEILING,
    revisions: revisionTable(options.now),
    sessions: createSessions(options.now),
    subscriptions: createSubscriptions(options),
    states: createStateSealer(options.signingKey, options.now),
    awaitedConfirmations: new Set(),
    inFlight: new InFlight(),
    openRequests: new OpenRequestLimit(options.bodyLimit),
    callQueue: new FairQueue(options.concurrentCalls ?? Infinity),
    closing: closing.signal,
  }
  app.decorate('mcpPublisher', endpoint.subscriptions)
  app.addHook('preClose', async () => {
    closing.abort()
    endpoint.subscriptions.close()
  })
  await registerCors(app)
  await app.register(async scope => pipeline(scope, endpoint))
  const { presentation } = options
  if (presentation) await app.register(async scope => serverCard(scope, options, presentation, endpoint.revisions))
}
