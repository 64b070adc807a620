import type { FastifyInstance } from 'fastify'
import type { Log } from '../../plugin/context.ts'
import type { Authorization } from '../../plugin/sign-in.ts'
import { createSealer } from '../sealer.ts'
import { readConnections } from './artifact.repository.ts'
import { disconnect } from './connections.ts'
import { createConsent } from './consent.ts'
import type { LoadedServer, OAuthOptions, Visitors } from './context.ts'
import { loadKeys } from './keys.ts'
import { createProvider } from './provider.ts'
import { oauthRoutes } from './routes.ts'

/** Milliseconds after listening until the server is loaded in advance, so that loading does not delay the start. */
const WARM_MS = 2000

/** Registers the authorization server; its library is loaded on first use. */
export async function authorizationServer(app: FastifyInstance, options: OAuthOptions): Promise<Authorization> {
  const visitors: Visitors = new WeakMap()
  let loaded: Promise<LoadedServer> | undefined
  const server = (): Promise<LoadedServer> => {
    loaded ??= load(options, visitors).catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
  await app.register(async scope => oauthRoutes(scope, { ...options, server, visitors }))
  if (options.warmUp) scheduleLoad(app, server, options.log)
  return {
    pending: async (request, reply, id) => (await server()).consent.pending(request, reply, id),
    answer: async (request, reply, id, answer) => (await server()).consent.answer(request, reply, id, answer),
    connections: readConnections,
    disconnect,
  }
}

function scheduleLoad(app: FastifyInstance, server: () => Promise<LoadedServer>, log: Log): void {
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    timer = setTimeout(
      () => void server().catch((error: unknown) => log.error({ err: error }, 'the authorization server did not load')),
      WARM_MS,
    ).unref()
  })
  app.addHook('preClose', async () => clearTimeout(timer))
}

async function load(options: OAuthOptions, visitors: Visitors): Promise<LoadedServer> {
  const { database, log, now } = options
  const sealer = createSealer(options.key)
  const [oidc, keys] = await Promise.all([import('oidc-provider'), loadKeys(database, options.key, now, log)])
  const context = { ...options, oidc, baseUrl: options.baseUrl(), sealer, visitors, presentations: new WeakMap() }
  const provider = createProvider(context, keys)
  return { provider, callback: provider.callback(), consent: createConsent(context, provider) }
}
