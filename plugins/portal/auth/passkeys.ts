import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { randomBytes } from 'node:crypto'
import { MINUTE_MS, uuid, type WriteContext } from 'tasuki/plugin'
import type { UserVisit, Visit } from '../visit.ts'
import { isSecure } from './cookies.ts'
import { consumePasskeyChallenge, readFactors, type Passkey } from './second-factor.repository.ts'

/** Imported on first use, because the library is large. */
const library = () => import('@simplewebauthn/server')

const MINUTES = 15
/** EdDSA, ES256 and RS256 (COSE); every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257]

/** A request to the browser, with the challenge for its response. */
export interface Ceremony {
  /** For `data-passkey`: JSON of `kind` and `options`. */
  readonly request: string
  /** Sealed, for the hidden field. */
  readonly challenge: string
}

/** Browsers support passkeys for host names with TLS and for localhost; under another name of the service they would fail. */
export function canUsePasskeys({ services, request }: Visit): boolean {
  const { host, hostname } = new URL(services.baseUrl())
  const isName = !/^[\d.]+$|:/.test(hostname)
  return request.host === host && isName && (isSecure(services) || /(^|\.)localhost$/.test(hostname))
}

/** Creates the request to register a passkey for the signed-in user. */
export async function askForNewPasskey(visit: UserVisit, passkeys: readonly Passkey[]): Promise<Ceremony> {
  const { generateRegistrationOptions } = await library()
  const { session } = visit
  const options = await generateRegistrationOptions({
    rpName: 'tasuki',
    rpID: siteOf(visit).rpId,
    supportedAlgorithmIDs: ALGORITHMS,
    userID: Buffer.from(session.userId),
    userName: session.email,
    userDisplayName: session.name,
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  return createCeremony(visit, 'create', options)
}

/** Creates the request for a passkey. @param passkeys the accepted passkeys; default: any of this site */
export function askForPasskey(visit: Visit, passkeys: readonly Passkey[] = []): Ceremony {
  // Built by hand: every sign-in page needs this, and importing the library would take longer than rendering the page.
  const options: PublicKeyCredentialRequestOptionsJSON = {
    challenge: randomBytes(32).toString('base64url'),
    rpId: siteOf(visit).rpId,
    userVerification: passkeys.length > 0 ? 'preferred' : 'required',
    allowCredentials: passkeys.map(key => ({ ...descriptorOf(key), type: 'public-key' })),
  }
  return createCeremony(visit, 'get', options)
}

/** The form fields of a passkey response. */
export interface PasskeyAnswer {
  /** JSON from the browser. */
  readonly response: string
  readonly challenge: string
}

/** Verifies a new passkey. @returns null if it is invalid, or does not match the challenge of this browser */
export async function readNewPasskey(
  visit: UserVisit,
  answer: PasskeyAnswer,
): Promise<Omit<Passkey, 'name' | 'createdAt' | 'usedAt'> | null> {
  const asked = openChallenge(visit, 'create', answer.challenge)
  if (!asked) return null
  const { verifyRegistrationResponse } = await library()
  const { origin, rpId } = siteOf(visit)
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: JSON.parse(answer.response) as RegistrationResponseJSON,
      expectedChallenge: asked.challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return null
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential
    const key = Buffer.from(publicKey).toString('base64url')
    return { id: uuid(), credentialId: id, publicKey: key, counter, transports: transports.join(',') }
  } catch (error) {
    return logFault(visit, error)
  }
}

/** Returns the user that a response claims to belong to; null = none. */
export function readClaimedUser({ response }: PasskeyAnswer): string | null {
  try {
    const { userHandle } = (JSON.parse(response) as AuthenticationResponseJSON).response
    const id = Buffer.from(userHandle ?? '', 'base64url').toString()
    return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : null
  } catch {
    return null
  }
}

/**
 * Verifies and consumes a response.
 * @returns null if it is not from a passkey of this user for the challenge of this browser; else whether the device verified the user by
 * PIN or biometrics, which counts as both factors
 */
export async function checkPasskey(
  visit: Visit,
  userId: string,
  answer: PasskeyAnswer,
): Promise<{ readonly isVerified: boolean; readonly name: string } | null> {
  const asked = openChallenge(visit, 'get', answer.challenge)
  if (!asked) return null
  const { passkeys } = await visit.asSystem(ctx => readFactors(ctx, userId))
  const { verifyAuthenticationResponse } = await library()
  const { origin, rpId } = siteOf(visit)
  const check = async () => {
    const response = JSON.parse(answer.response) as AuthenticationResponseJSON
    const passkey = passkeys.find(({ credentialId }) => credentialId === response.id)
    if (!passkey) return null
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: asked.challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: false,
      credential: {
        ...descriptorOf(passkey),
        publicKey: Buffer.from(passkey.publicKey, 'base64url'),
        counter: passkey.counter,
      },
    })
    return verified ? { passkey, ...authenticationInfo } : null
  }
  const checked = await check().catch((error: unknown) => logFault(visit, error))
  if (!checked) return null
  const { passkey, newCounter, userVerified } = checked
  const used = { id: passkey.id, counter: newCounter, given: new Date(asked.at) }
  if (!(await visit.asSystem((ctx: WriteContext) => consumePasskeyChallenge(ctx, userId, used)))) return null
  return { isVerified: userVerified, name: passkey.name }
}

function logFault({ request }: Visit, error: unknown): null {
  // An invalid response contains no secrets.
  request.log.info({ err: error }, 'an answer by a passkey was refused')
  return null
}

function descriptorOf({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports: transports === '' ? [] : (transports.split(',') as ('internal' | 'usb')[]) }
}

function siteOf({ services }: Visit): { readonly origin: string; readonly rpId: string } {
  const { origin, hostname } = new URL(services.baseUrl())
  return { origin, rpId: hostname }
}

interface Challenge {
  readonly challenge: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Binds a challenge to one browser: by its session, or by the cookie of a visitor. */
const placeOf = (visit: Visit, kind: string): string => visit.proof(`passkey ${kind}`)

function createCeremony(visit: Visit, kind: 'create' | 'get', options: { readonly challenge: string }): Ceremony {
  const asked: Challenge = { challenge: options.challenge, at: visit.now.getTime() }
  return {
    request: JSON.stringify({ kind, options }),
    challenge: visit.services.sealer('portal passkey').seal(JSON.stringify(asked), placeOf(visit, kind)),
  }
}

function openChallenge(visit: Visit, kind: 'create' | 'get', sealed: string): Challenge | null {
  const text = visit.services.sealer('portal passkey').open(sealed, placeOf(visit, kind))
  if (text === null) return null
  const asked = JSON.parse(text) as Challenge
  return visit.now.getTime() - asked.at < MINUTES * MINUTE_MS ? asked : null
}
