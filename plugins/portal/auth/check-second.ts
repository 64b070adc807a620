import { text } from '../fields.ts'
import type { Visit } from '../visit.ts'
import { consumeCode } from './codes.ts'
import { checkPasskey } from './passkeys.ts'

/** The form fields of a second factor: a code, or the response of a passkey with its challenge. */
export const secondFields = {
  code: text({ max: 40, optional: true }),
  passkey: text({ max: 20_000, optional: true }),
  challenge: text({ max: 1000, optional: true }),
}
export interface SecondInput {
  readonly code: string
  readonly passkey: string
  readonly challenge: string
}

/** A verified second factor. */
export interface SecondProof {
  readonly by: 'app' | 'recovery_code' | 'passkey'
  /** A passkey with user verification, which needs no password. */
  readonly isBoth: boolean
}

/** Verifies and consumes a second factor; null = incorrect. */
export async function checkSecond(
  visit: Visit,
  userId: string,
  { code, passkey, challenge }: SecondInput,
): Promise<SecondProof | null> {
  if (passkey !== '') {
    const key = await checkPasskey(visit, userId, { response: passkey, challenge })
    return key && { by: 'passkey', isBoth: key.isVerified }
  }
  const by = await visit.asSystem(ctx => consumeCode(ctx, visit.services, userId, code))
  return by && { by, isBoth: false }
}
