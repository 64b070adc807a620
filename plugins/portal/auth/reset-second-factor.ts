import { secondFactorReset, notifyAccessMade, type WriteContext } from 'tasuki/plugin'
import { secondFactorRemoved } from '../audit.ts'
import {
  deleteAuthenticator,
  deletePasskeys,
  hasSecondFactor,
  keepRecoveryCodes,
  readFactors,
} from './second-factor.repository.ts'

/** Recovery codes stand in for a second factor: without one they go too. */
export async function endSecondFactorIfEmpty(ctx: WriteContext, userId: string): Promise<void> {
  if (!hasSecondFactor(await readFactors(ctx, userId))) await keepRecoveryCodes(ctx, userId, [])
}

/** Takes everything away that somebody has lost: the password, or a set-up link, is enough again. */
export const resetSecondFactor = secondFactorReset(async (ctx, { id, email }) => {
  const hadApp = await deleteAuthenticator(ctx, id)
  const passkeys = await deletePasskeys(ctx, id)
  await keepRecoveryCodes(ctx, id, [])
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
