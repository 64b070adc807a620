import { sql } from 'kysely'
import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { iso } from '../plugin/sql.ts'
import { json } from '../plugin/tables.ts'
import type { IssuedToken, NewToken } from '../plugin/users.ts'
import { isUuid, uuid } from '../plugin/uuid.ts'
import { hashToken, mintToken, tokenHint } from './token.ts'

/** Issues a personal access token; the returned value is shown once and never stored. */
export async function issueToken(ctx: WriteContext, token: NewToken): Promise<{ id: string; value: string }> {
  const value = token.value ?? mintToken()
  const id = uuid()
  await ctx.db
    .insertInto('core.tokens')
    .values({
      id,
      user_id: token.userId,
      name: token.name,
      scope: token.scope,
      actor_kind: token.actorKind ?? 'agent',
      hash: hashToken(value),
      hint: tokenHint(value),
      projects: token.projects ? json(token.projects) : null,
      created_at: ctx.now,
      expires_at: token.expiresAt ?? null,
    })
    .execute()
  return { id, value }
}

/**
 * Ends a token at once, on every instance.
 * @param userId whose token it has to be; left out, anybody's.
 * @throws ToolError not_found
 */
export async function revokeToken(
  ctx: WriteContext,
  id: string,
  userId?: string,
): Promise<{ id: string; name: string }> {
  const { rows } = await sql<{ id: string; name: string; user_id: string }>`
    update core.tokens set revoked_at = ${ctx.now}
    where id = ${isUuid(id) ? id : null}::uuid and revoked_at is null
      and ${userId === undefined ? sql`true` : sql`user_id = ${userId}`}
    returning id, name, user_id
  `.execute(ctx.db)
  const row = rows[0]
  if (!row)
    throw new ToolError('not_found', `There is no live token ${id}.`, {
      field: 'id',
      hint: 'tasuki token list shows the ids.',
    })
  ctx.claimsChanged([row.user_id])
  return { id: row.id, name: row.name }
}

export type TokenRow = {
  readonly id: string
  readonly user: string
  readonly name: string
  readonly scope: string
  readonly hint: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}

/** Lists tokens, newest first; of one user when an e-mail address is given. */
export async function listTokens(ctx: ReadContext, email: string | undefined): Promise<readonly TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select t.id, u.email as user, t.name, t.scope, '…' || t.hint as hint, ${iso('t.created_at')} as created_at,
      ${iso('t.expires_at')} as expires_at, ${iso('t.last_used_at')} as last_used_at, ${iso('t.revoked_at')} as revoked_at
    from core.tokens t join core.users u on u.id = t.user_id
    where ${email === undefined ? sql`true` : sql`u.email = ${email.trim().toLowerCase()}`}
    order by t.created_at desc, t.id desc
  `.execute(ctx.db)
  return rows
}

/** The tokens of one user that have not been revoked, newest first. */
export async function tokensOf(ctx: ReadContext, userId: string): Promise<readonly IssuedToken[]> {
  const { rows } = await sql<IssuedToken>`
    select id, name, scope, hint, projects, ${iso('created_at')} as "createdAt", ${iso('expires_at')} as "expiresAt",
      ${iso('last_used_at')} as "lastUsedAt"
    from core.tokens where user_id = ${userId} and revoked_at is null order by created_at desc, id desc
  `.execute(ctx.db)
  return rows
}
