import type { FastifyInstance } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { AuditTrail } from '../../runtime/audit/trail.ts'
import { createLimiter } from '../../http/limiter.ts'
import type { Log } from '../../plugin/context.ts'
import type { Authorization, SignIn } from '../../plugin/sign-in.ts'
import { createSealer } from '../sealer.ts'
import { derivedKey } from '../signing-key.ts'
import { createArtifactAdapter } from './artifacts.ts'
import { readConnections } from './artifact.repository.ts'
import { disconnect } from './connections.ts'
import { createConsent, type WriteForRequest } from './consent.ts'
import { createDocumentFetcher } from './documents.ts'
import { loadKeys } from './keys.ts'
import type { LoadedServer } from './loaded-server.ts'
import { createProvider } from './provider.ts'
import { oauthRoutes } from './routes.ts'
import type { OAuthSettings } from './settings.ts'
import type { Presentations, Visitors } from './visitors.ts'

export interface OAuthOptions {
  /** Loads the library soon after listening, so that the first sign-in is fast. */
  readonly warmUp: boolean
  readonly signIn: SignIn
  readonly settings: OAuthSettings
  readonly database: Database
  /** 32-byte key that encrypts stored secrets; the same on all instances. */
  readonly key: Buffer
  readonly baseUrl: () => string
  readonly allowedHosts: readonly string[]
  /** Removes users from the credential cache of this process. */
  readonly forget: (userIds: readonly string[]) => void
  readonly trail: AuditTrail
  /** Runs work in a transaction on behalf of a request. */
  readonly write: WriteForRequest
  readonly log: Log
  readonly now: () => Date
}

/** Milliseconds after listening until the server is loaded in advance, so that loading does not delay the start. */
const WARM_MS = 2000

/** Registers the authorization server; its library is loaded on first use. */
export async function authorizationServer(app: FastifyInstance, options: OAuthOptions): Promise<Authorization> {
  const { signIn, now } = options
  const visitors: Visitors = new WeakMap()
  let loaded: Promise<LoadedServer> | undefined
  const server = (): Promise<LoadedServer> => {
    loaded ??= load(options, visitors).catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
  await app.register(async scope =>
    oauthRoutes(scope, {
      server,
      baseUrl: options.baseUrl,
      allowedHosts: options.allowedHosts,
      signIn,
      visitors,
      // Behind a proxy that hides client addresses, all clients share these limits.
      limits: {
        authorize: createLimiter('authorize', 300, 60, now),
        token: createLimiter('token', 300, 60, now),
        register: createLimiter('register', 120, 60, now),
      },
    }),
  )
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
  const { database, settings, signIn, log, now, forget, trail } = options
  const sealer = createSealer(options.key)
  const [oidc, keys] = await Promise.all([import('oidc-provider'), loadKeys(database, sealer, now, log)])
  const baseUrl = options.baseUrl()
  const limits = createRegistrationLimits(now)
  const presentations: Presentations = new WeakMap()
  const provider = createProvider({
    oidc,
    baseUrl,
    settings,
    keys,
    database,
    signIn,
    visitors,
    trail,
    presentations,
    log,
    successorKey: derivedKey(options.key, 'successors of refresh tokens'),
    adapter: createArtifactAdapter({
      database,
      sealer,
      baseUrl,
      reuseGraceSeconds: settings.refresh_reuse_grace_seconds,
      now,
      forget,
      found({ accountId, grantId }) {
        const { ctx } = oidc.Provider
        if (ctx) presentations.set(ctx.req, { userId: accountId!, connectionId: grantId ?? null })
      },
      alreadyUsed: () => new oidc.errors.InvalidGrant('already used'),
    }),
    fetchDocument: createDocumentFetcher(database, log),
    onRegistration(ctx, places) {
      const headers = limits(places)
      if (!headers) return
      ctx.set(headers)
      throw new oidc.errors.OIDCProviderError(429, 'slow_down')
    },
  })
  return {
    provider,
    callback: provider.callback(),
    consent: createConsent({ provider, baseUrl, write: options.write, signIn, trail, now }),
  }
}

/**
 * Creates the limits of registrations that are not per address, because an attacker may have many addresses: per redirect origin, so that
 * one app cannot use up the total, and in total. Loopback redirects count only towards the total.
 * @returns a function that returns the headers of a refusal, or null
 */
function createRegistrationLimits(
  now: () => Date,
): (places: readonly string[]) => Readonly<Record<string, string>> | null {
  const perOrigin = createLimiter('registrations', 60, 60, now)
  const total = createLimiter('registrations in all', 300, 60, now)
  return places => {
    for (const [limiter, keys] of [
      [perOrigin, places],
      [total, ['']],
    ] as const) {
      for (const key of keys) {
        const allowance = limiter.take(key)
        if (!allowance.allowed) return limiter.headers(allowance)
      }
    }
    return null
  }
}
