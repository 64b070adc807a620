import { secondFactorReset, notifyAccessMade, type WriteContext } from 'tasuki/plugin'
import { secondFactorRemoved } from '../audit.ts'
import {
  deleteAuthenticator,
  deletePasskeys,
  hasSecondFactor,
  readFactors,
  replaceRecoveryCodes,
} from './second-factor.repository.ts'

/** Deletes the recovery codes of a user who no longer has a second factor to recover. */
export async function endSecondFactorIfEmpty(ctx: WriteContext, userId: string): Promise<void> {
  if (!hasSecondFactor(await readFactors(ctx, userId))) await replaceRecoveryCodes(ctx, userId, [])
}

/** Removes all second factors of a user who lost them: the password, or a setup link, is then sufficient. */
export const resetSecondFactor = secondFactorReset(async (ctx, { id, email }) => {
  const hadApp = await deleteAuthenticator(ctx, id)
  const passkeys = await deletePasskeys(ctx, id)
  await replaceRecoveryCodes(ctx, id, [])
  const removed = passkeys.length + (hadApp ? 1 : 0)
  if (removed === 0) return 0
  const target = { kind: 'user', id, name: email }
  ctx.audit({
    action: secondFactorRemoved,
    userId: id,
    target,
    details: { reset: true, app: hadApp, passkeys: passkeys.length },
  })
  await notifyAccessMade(ctx, { kind: 'less_proof', userId: id, name: null, address: null, browser: null })
  return removed
})
