import { hash, randomInt } from 'node:crypto'
import { normalizeText, type HostServices, type Sealer, type WriteContext } from 'tasuki/plugin'
import { consumeRecoveryCode, consumeStep, readSecret, replaceRecoveryCodes } from './second-factor.repository.ts'

/** Imported on first use. */
const library = () => import('otpauth')

/** Tolerated clock difference in periods of 30 seconds, in either direction. */
const WINDOW = 1
const RECOVERY_CODES = 10
/** Without ambiguous characters. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const FORMAT = { groups: 4, letters: 4 }

/** Creates a secret for an authenticator app, base32. */
export async function newSecret(): Promise<string> {
  const { Secret } = await library()
  return new Secret({ size: 20 }).base32
}

/** Returns the content of a secret's QR code: an `otpauth://totp/…` URL. */
export async function addressOfSecret(services: HostServices, secret: string, email: string): Promise<string> {
  const { TOTP } = await library()
  return new TOTP({ issuer: `tasuki ${new URL(services.baseUrl()).host}`, label: email, secret }).toString()
}

/** Returns the 30-second period of a code; null for an incorrect or expired code. */
export async function stepOfCode(secret: string, code: string, now: Date): Promise<number | null> {
  const { TOTP } = await library()
  const timestamp = now.getTime()
  const delta = new TOTP({ secret }).validate({ token: code, window: WINDOW, timestamp })
  return delta === null ? null : TOTP.counter({ timestamp }) + delta
}

export const secretSealer = (services: HostServices): Sealer => services.sealer('portal authenticator')

/** Replaces the recovery codes by new ones. @returns the codes, to be shown once */
export async function newRecoveryCodes(ctx: WriteContext, userId: string): Promise<readonly string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: FORMAT.groups }, () =>
      Array.from({ length: FORMAT.letters }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
    ).join('-'),
  )
  await replaceRecoveryCodes(ctx, userId, codes.map(hashOf))
  return codes
}

/** Consumes a code from the authenticator app, or a recovery code. @returns which kind it was; null = incorrect, used or expired */
export async function consumeCode(
  ctx: WriteContext,
  services: HostServices,
  userId: string,
  typed: string,
): Promise<'app' | 'recovery_code' | null> {
  const plain = normalizeText(typed).replace(/[\s-]/g, '').toLowerCase()
  if (!/^\d{6}$/.test(plain)) return (await consumeRecoveryCode(ctx, userId, hashOf(plain))) ? 'recovery_code' : null
  const sealed = await readSecret(ctx, userId)
  const secret = sealed === null ? null : secretSealer(services).open(sealed, userId)
  const step = secret === null ? null : await stepOfCode(secret, plain, ctx.now)
  return step !== null && (await consumeStep(ctx, userId, step)) ? 'app' : null
}

function hashOf(code: string): string {
  return hash('sha256', code.replaceAll('-', ''), 'base64url')
}
