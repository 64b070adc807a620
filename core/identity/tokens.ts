import type { WriteContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { notifyAccessMade } from '../plugin/host-points.ts'
import { json } from '../plugin/tables.ts'
import type { NewToken } from '../plugin/users.ts'
import { isUuid, uuid } from '../plugin/uuid.ts'
import { tokenIssued, tokenRevoked } from '../runtime/audit/actions.ts'
import { countTokens, insertToken, revokeStoredTokens } from './token.repository.ts'
import { hashToken, mintToken } from './token.ts'

/** Issues a personal access token. The returned value is shown once and never stored. */
export async function issueToken(ctx: WriteContext, token: NewToken): Promise<{ id: string; value: string }> {
  const value = token.value ?? mintToken()
  const id = uuid()
  await insertToken(ctx, {
    id,
    user_id: token.userId,
    name: token.name,
    scope: token.scope,
    actor_kind: token.actorKind ?? 'agent',
    hash: hashToken(value),
    // Its last characters, by which users recognize it.
    hint: value.slice(-4),
    projects: token.projects ? json(token.projects) : null,
    created_at: ctx.now,
    expires_at: token.expiresAt ?? null,
  })
  const { userId, name, scope } = token
  const details = { scope, expires_at: token.expiresAt ?? null, projects: token.projects?.length ?? null }
  ctx.audit({ action: tokenIssued, userId, target: { kind: 'token', id, name }, details })
  return { id, value }
}

/** Issues a personal access token and notifies its user. @throws ToolError limit_exceeded */
export async function issueTokenAndNotify(ctx: WriteContext, token: NewToken): Promise<{ id: string; value: string }> {
  const { userId, name, most = Infinity, from = { address: null, browser: null } } = token
  if (most !== Infinity && (await countTokens(ctx, userId)) >= most)
    throw new ToolError('limit_exceeded', `There are ${most} tokens of this user, which is the limit.`, {
      field: 'name',
      hint: 'Revoke one that is not needed any more.',
      details: { limit: most },
    })
  const issued = await issueToken(ctx, token)
  await notifyAccessMade(ctx, { ...from, kind: 'token', userId, name })
  return issued
}

/** Revokes a token on every instance at once, as `UserAccounts` describes. */
export async function revokeToken(
  ctx: WriteContext,
  id: string,
  userId?: string,
): Promise<{ id: string; name: string }> {
  const match = { id, ...(userId !== undefined && { user_id: userId }) }
  const [row] = isUuid(id) ? await revokeStoredTokens(ctx, match) : []
  if (!row)
    throw new ToolError('not_found', `There is no live token ${id}.`, {
      field: 'id',
      hint: 'tasuki token list shows the ids.',
    })
  ctx.claimsChanged([row.user_id])
  ctx.audit({ action: tokenRevoked, userId: row.user_id, target: { kind: 'token', id: row.id, name: row.name } })
  return { id: row.id, name: row.name }
}
