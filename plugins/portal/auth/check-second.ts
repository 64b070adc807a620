import { text } from '../fields.ts'
import type { Visit } from '../visit.ts'
import { takeCode } from './codes.ts'
import { checkPasskey } from './passkeys.ts'

/** What a form has for a second factor: a code, or what a passkey answered to what was asked. */
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

/** A second factor that was right. */
export interface SecondProof {
  readonly by: 'app' | 'recovery_code' | 'passkey'
  /** It was a passkey that proved the person itself, and needs no password beside it. */
  readonly isBoth: boolean
}

/** Checks a second factor and uses it up; null = it is wrong. */
export async function checkSecond(
  visit: Visit,
  userId: string,
  { code, passkey, challenge }: SecondInput,
): Promise<SecondProof | null> {
  if (passkey !== '') {
    const key = await checkPasskey(visit, userId, { response: passkey, challenge })
    return key && { by: 'passkey', isBoth: key.isVerified }
  }
  const by = await visit.asSystem(ctx => takeCode(ctx, visit.services, userId, code))
  return by && { by, isBoth: false }
}
