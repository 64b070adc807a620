import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { randomBytes } from 'node:crypto'
import { uuid, type WriteContext } from 'tasuki/plugin'
import type { UserVisit, Visit } from '../visit.ts'
import { isSecure } from './cookies.ts'
import { readFactors, takePasskey, type Passkey } from './second-factor.repository.ts'

/** The library is large, and loaded by those who use it. */
const library = () => import('@simplewebauthn/server')

const MINUTES = 15
/** EdDSA, ES256 and RS256 (COSE), which all authenticators have one of. */
const ALGORITHMS = [-8, -7, -257]

/** What a page asks of the browser, and what comes back with its answer. */
export interface Ceremony {
  /** For `data-passkey`: JSON of `kind` and `options`. */
  readonly request: string
  /** Sealed, for the hidden field. */
  readonly challenge: string
}

/** Browsers do it for names with TLS, and for this machine; a page under another name of the service would be refused. */
export function canUsePasskeys({ services, request }: Visit): boolean {
  const { host, hostname } = new URL(services.baseUrl())
  const isName = !/^[\d.]+$|:/.test(hostname)
  return request.host === host && isName && (isSecure(services) || /(^|\.)localhost$/.test(hostname))
}

/** Asks to make a passkey for whoever is signed in. */
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
  return ceremony(visit, 'create', options)
}

/** Asks for an answer by a passkey. @param passkeys those that may answer; left out = any that is of this site */
export function askForPasskey(visit: Visit, passkeys: readonly Passkey[] = []): Ceremony {
  // By hand: every sign-in page asks, and the library would take longer to load than the page to make.
  const options: PublicKeyCredentialRequestOptionsJSON = {
    challenge: randomBytes(32).toString('base64url'),
    rpId: siteOf(visit).rpId,
    userVerification: passkeys.length > 0 ? 'preferred' : 'required',
    allowCredentials: passkeys.map(key => ({ ...descriptorOf(key), type: 'public-key' })),
  }
  return ceremony(visit, 'get', options)
}

/** What a form posts of an answer. */
export interface PasskeyAnswer {
  /** JSON as the browser made it. */
  readonly response: string
  readonly challenge: string
}

/** Reads a new passkey. @returns null where it is none, or not for what this browser was asked */
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
    return tellFault(visit, error)
  }
}

/** Whom an answer is from, as it says itself; null = it does not. */
export function ownerOf({ response }: PasskeyAnswer): string | null {
  try {
    const { userHandle } = (JSON.parse(response) as AuthenticationResponseJSON).response
    const id = Buffer.from(userHandle ?? '', 'base64url').toString()
    return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : null
  } catch {
    return null
  }
}

/**
 * Checks an answer, and uses it up.
 * @returns null where it is not by a passkey of this user for what this browser was asked; else whether the device had the person proven
 * by PIN or body, so that it counts as both factors
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
  try {
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
    if (!verified) return null
    const used = { id: passkey.id, counter: authenticationInfo.newCounter, given: new Date(asked.at) }
    if (!(await visit.asSystem((ctx: WriteContext) => takePasskey(ctx, userId, used)))) return null
    return { isVerified: authenticationInfo.userVerified, name: passkey.name }
  } catch (error) {
    return tellFault(visit, error)
  }
}

function tellFault({ request }: Visit, error: unknown): null {
  // What a browser sends wrong says nothing secret.
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

/** What is asked of one browser is answered by that browser: the place has its session, or the cookie of a visitor. */
const placeOf = (visit: Visit, kind: string): string => visit.proof(`passkey ${kind}`)

function ceremony(visit: Visit, kind: 'create' | 'get', options: { readonly challenge: string }): Ceremony {
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
  return visit.now.getTime() - asked.at < MINUTES * 60_000 ? asked : null
}
