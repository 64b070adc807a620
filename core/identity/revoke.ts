import type { WriteContext } from '../plugin/context.ts'
import { accessRevoked } from '../plugin/host-points.ts'
import type { KeptAccess, RevokedAccess } from '../plugin/users.ts'
import { accessRevoked as accessRevokedAction } from '../runtime/audit/actions.ts'
import { deleteArtifactsOf } from './oauth/artifact.repository.ts'
import { revokeStoredTokens } from './token.repository.ts'
import { changeUser, lockUser } from './user.repository.ts'

/** Revokes all tokens, connected apps and browser sessions of a user, on every instance at once. */
export async function revokeAccess(ctx: WriteContext, userId: string, keep: KeptAccess = {}): Promise<RevokedAccess> {
  // Waits for concurrent issuing of tokens, so that those tokens are revoked too.
  await lockUser(ctx, userId)
  await changeUser(ctx, userId, { access_ended_at: ctx.now })
  const ended: Record<string, number> = {
    tokens: (await revokeStoredTokens(ctx, { user_id: userId })).length,
    apps: await deleteArtifactsOf(ctx, userId),
  }
  for (const end of ctx.all(accessRevoked)) Object.assign(ended, await end(ctx, userId, keep))
  ctx.claimsChanged([userId])
  ctx.audit({ action: accessRevokedAction, userId, target: { kind: 'user', id: userId }, details: ended })
  return ended
}
