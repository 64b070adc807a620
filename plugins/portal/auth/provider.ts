import { readFileSync } from 'node:fs'
import type { Configuration } from 'openid-client'
import { externalServices, HostError, MINUTE_MS, type HostServices } from 'tasuki/plugin'
import type { HttpContext, HttpRequest } from '../http-context.ts'
import { defineTexts } from '../language.ts'
import { Refusal } from '../page.ts'
import { settings, type ProviderSettings } from '../settings.ts'
import type { Visit } from '../visit.ts'
import { clearCookie, readCookie, setCookie } from './cookies.ts'
import type { Identity } from './identity.repository.ts'

/** The redirect path of the provider, which must be registered there. */
export const CALLBACK = '/sign-in/provider/callback'
const MINUTES = 10
const CLOCKS_DIFFER_MS = 30_000

const texts = defineTexts(
  { silent: 'Your provider does not answer. Try again in some minutes.' },
  { ja: { silent: 'プロバイダーから応答がありません。数分後にもう一度お試しください。' } },
)

/** Imported on first use: few users sign in this way. */
const library = () => import('openid-client')

/** The purpose of a redirect to the provider: to sign in, unless it names a user. */
export interface Purpose {
  readonly returnTo: string
  /** The user who links the identity. */
  readonly linkTo?: string
  /** The user who confirms their identity by a new sign-in. */
  readonly confirms?: string
}

/** The state to restore when the browser returns. */
interface PendingSignIn extends Purpose {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** Starts a sign-in at the provider. @returns the provider's URL @throws Refusal if the provider does not answer */
export async function startProviderSignIn(visit: Visit, purpose: Purpose): Promise<string> {
  const { services, language, request } = visit
  const client = await library()
  const config = await configuration(services).catch((error: unknown) => {
    request.log.warn({ err: error }, 'the OpenID provider does not answer')
    throw new Refusal({ '': texts(language).silent })
  })
  const pending: PendingSignIn = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    ...purpose,
    until: services.now().getTime() + MINUTES * MINUTE_MS,
  }
  storePending(visit, [pending, ...readPending(visit)])
  return client.buildAuthorizationUrl(config, {
    redirect_uri: services.baseUrl() + CALLBACK,
    scope: provider(services).scope,
    code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    state: pending.state,
    nonce: pending.nonce,
    // With max_age the provider must return the time of the sign-in (OpenID Connect Core §3.1.2.1).
    ...(purpose.confirms !== undefined && { prompt: 'login', max_age: '0' }),
  }).href
}

/** A completed sign-in at the provider. */
export interface ProviderSignIn {
  readonly purpose: Purpose
  readonly identity: Omit<Identity, 'createdAt'>
  /** The provider has verified that the email belongs to the user. */
  readonly emailVerified: boolean
  /** The user signed in at the provider after the redirect, not earlier. */
  readonly isFresh: boolean
  /** The provider states that it asked for more than one factor (`amr` of RFC 8176). */
  readonly isMultiFactor: boolean
}

/** Takes the sign-in that a return from the provider ends; null if this browser did not start it, or took too long. */
export function takePending(http: HttpContext): PendingSignIn | null {
  const { state } = http.request.query as { state?: unknown }
  const all = readPending(http)
  const others = all.filter(one => one.state !== state)
  storePending(http, others)
  return all.find(one => !others.includes(one)) ?? null
}

/** Verifies a return from the provider; null if it was refused there. */
export async function finishProviderSignIn(
  { services, request }: HttpContext,
  pending: PendingSignIn,
): Promise<ProviderSignIn | null> {
  const client = await library()
  try {
    const config = await configuration(services)
    const tokens = await client.authorizationCodeGrant(config, new URL(request.url, services.baseUrl()), {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.verifier,
      idTokenExpected: true,
    })
    const { iss: issuer, sub: subject, ...claims } = tokens.claims()!
    const { auth_time: signedInAt, amr } = claims
    const startedAt = pending.until - MINUTES * MINUTE_MS
    // Many providers include the email only in the user info.
    const info = claims['email'] === undefined ? await userInfo(config, tokens.access_token, subject) : claims
    const email = typeof info['email'] === 'string' ? info['email'] : null
    return {
      identity: { issuer, subject, email },
      emailVerified: info['email_verified'] === true,
      purpose: pending,
      isMultiFactor: Array.isArray(amr) && amr.includes('mfa'),
      isFresh: typeof signedInAt === 'number' && signedInAt * 1000 > startedAt - CLOCKS_DIFFER_MS,
    }
  } catch (error) {
    // The message may contain data from the provider, but no secret of the service.
    request.log.info({ err: error }, 'a sign-in through the provider failed')
    return null
  }
}

async function userInfo(
  config: Configuration,
  accessToken: string,
  subject: string,
): Promise<Readonly<Record<string, unknown>>> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {}
  const { fetchUserInfo } = await library()
  return fetchUserInfo(config, accessToken, subject)
}

/** The sign-ins that this browser has started: one in each of several tabs. */
function readPending(http: HttpRequest): readonly PendingSignIn[] {
  const { services } = http
  const text = sealer(services).open(readCookie(http, 'provider') ?? '', CALLBACK)
  if (text === null) return []
  // Earlier versions stored one alone.
  const all = [JSON.parse(text) as PendingSignIn | PendingSignIn[]].flat()
  return all.filter(({ until }) => until > services.now().getTime())
}

/** Stores the newest that fit into a cookie, of which browsers keep 4,096 bytes. */
function storePending(http: HttpContext, all: readonly PendingSignIn[]): void {
  if (all.length === 0) return clearCookie(http, 'provider')
  const sealed = sealer(http.services).seal(JSON.stringify(all), CALLBACK)
  if (sealed.length > 3800 && all.length > 1) return storePending(http, all.slice(0, -1))
  return setCookie(http, 'provider', sealed, MINUTES * 60)
}

function provider(services: HostServices): ProviderSettings {
  return services.config(settings).openid!
}

function sealer(services: HostServices) {
  return services.sealer('portal provider')
}

const discovered = new WeakMap<HostServices, Promise<Configuration>>()

/** Discovers the provider's metadata on first use; a failure is not cached. */
function configuration(services: HostServices): Promise<Configuration> {
  const known = discovered.get(services)
  if (known) return known
  const found = discover(provider(services))
  discovered.set(services, found)
  found.catch(() => discovered.delete(services))
  return found
}

/** Reads the client secret; undefined for a public client. @throws HostError */
export function clientSecret({ client_secret_file: file }: ProviderSettings): string | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8').trim()
  } catch (error) {
    const why = `names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`
    throw new HostError(`config of plugin portal: openid → client_secret_file ${why}`, { cause: error })
  }
}

async function discover(settings: ProviderSettings): Promise<Configuration> {
  const { issuer, client_id: id } = settings
  const client = await library()
  const secret = clientSecret(settings)
  const options = issuer.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {}
  return client.discovery(new URL(issuer), id, secret, secret === undefined ? client.None() : undefined, options)
}

/** `tasuki doctor` reads the provider's metadata. */
export const openIdProvider = externalServices(({ config }) => {
  const { openid } = config(settings)
  if (!openid) return null
  return {
    what: `sign-in: the OpenID provider ${openid.issuer}`,
    mend: 'check openid of the plugin portal, client_secret_file, and that this machine reaches the provider',
    attempt: () => discover(openid),
  }
})
