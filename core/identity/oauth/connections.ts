import { sql } from 'kysely'
import type { ReadContext, WriteContext } from '../../plugin/context.ts'
import { ToolError } from '../../plugin/errors.ts'
import type { Connection } from '../../plugin/sign-in.ts'
import { iso } from '../../plugin/sql.ts'
import { isUuid } from '../../plugin/uuid.ts'

/** What a Grant's row says of the connection besides what the provider needs. */
export type ConnectionDetails = Pick<Connection, 'clientName' | 'verifiedHost' | 'redirectHost' | 'scope'>

/** Live connections of a user, newest first. */
export async function connectionsOf(ctx: ReadContext, userId: string): Promise<readonly Connection[]> {
  const { rows } = await sql<{ connection: ConnectionDetails } & Pick<Connection, 'id' | 'createdAt' | 'lastUsedAt'>>`
    select connection_id as id, payload->'connection' as connection, ${iso('created_at')} as "createdAt",
      ${iso('last_used_at')} as "lastUsedAt"
    from core.oauth_artifacts
    where user_id = ${userId} and kind = 'Grant' and payload->'connection' is not null and expires_at > ${ctx.now}
    order by created_at desc, connection_id desc
  `.execute(ctx.db)
  return rows.map(({ connection, ...row }) => ({ ...row, ...connection }))
}

/** Ends a connection with its codes and tokens at once, on every instance. @throws ToolError not_found */
export async function disconnect(ctx: WriteContext, userId: string, id: string): Promise<void> {
  const { rows } = await sql<{ kind: string }>`
    delete from core.oauth_artifacts
    where connection_id = ${isUuid(id) ? id : null}::uuid and user_id = ${userId} returning kind
  `.execute(ctx.db)
  if (!rows.some(row => row.kind === 'Grant'))
    throw new ToolError('not_found', `There is no live connection ${id}.`, { field: 'id' })
  ctx.claimsChanged([userId])
}

/** Forgets what has expired, connections whose last token has, and registrations beyond any honest number. */
export async function sweepArtifacts(ctx: WriteContext): Promise<void> {
  await sql`delete from core.oauth_artifacts where expires_at < ${ctx.now}`.execute(ctx.db)
  await sql`
    delete from core.oauth_artifacts g
    where g.kind = 'Grant' and g.created_at < ${ctx.now}::timestamptz - interval '1 hour' and not exists (
      select from core.oauth_artifacts t where t.connection_id = g.connection_id and t.kind <> 'Grant'
    )
  `.execute(ctx.db)
  await sql`
    delete from core.oauth_artifacts where id in (
      select id from core.oauth_artifacts where kind = 'Client' and expires_at is not null
      order by created_at desc offset ${MOST_UNUSED_CLIENTS}
    )
  `.execute(ctx.db)
}

/** Registering asks for no credential: what somebody with much time can leave behind is bounded. */
const MOST_UNUSED_CLIENTS = 10_000
