import { setForTransaction } from '../db/settings.ts'
import type { AuditEntry, AuditFilter } from '../plugin/audit.ts'
import type { Actor, Db, ReadContext, WriteContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { iso } from '../plugin/sql.ts'
import { NOBODY } from '../runtime/audit/audit.repository.ts'
import { artifactId } from './oauth/artifact-id.ts'
import { hashToken, isPersonalToken } from './token.ts'
import { DAY_MS } from '../plugin/durations.ts'

/** Minimum retention in days, independent of the clock in the context. */
const MIN_DAYS = 7

/** Lists entries of the audit trail, newest first. @throws ToolError forbidden if a non-administrator asks for entries of others */
export async function listAudit(ctx: ReadContext, filter: AuditFilter): Promise<readonly AuditEntry[]> {
  const { userId, action, outcome, since, until, limit, offset = 0 } = filter
  if (userId === undefined || userId !== ctx.actor.userId) await requireAdministrator(ctx)
  return ctx.db
    .selectFrom('core.audit as a')
    .leftJoin('core.users as u', 'u.id', 'a.owner_id')
    .leftJoin('core.users as d', 'd.id', 'a.actor_id')
    .select(({ fn, cast, val }) => [
      fn.coalesce('u.email', cast<string>(fn<string>('nullif', ['a.owner_id', val(NOBODY)]), 'text')).as('user'),
      fn.coalesce('d.email', cast<string>('a.actor_id', 'text')).as('actor'),
      iso('a.at').as('at'),
    ])
    .select(['a.id', 'a.action', 'a.outcome', 'a.actor_kind', 'a.credential_id', 'a.credential', 'a.client'])
    .select(['a.client_version', 'a.address', 'a.target_kind', 'a.target_id', 'a.target', 'a.request_id', 'a.times'])
    .select('a.details')
    .$if(userId !== undefined, query =>
      query.where(({ or, eb }) => or([eb('a.owner_id', '=', userId!), eb('a.actor_id', '=', userId!)])),
    )
    .$if(action !== undefined, query => query.where('a.action', '=', action!))
    .$if(outcome !== undefined, query => query.where('a.outcome', '=', outcome!))
    .$if(since !== undefined, query => query.where('a.at', '>=', since!.toISOString()))
    .$if(until !== undefined, query => query.where('a.at', '<', until!.toISOString()))
    .orderBy('a.at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

/** Allows administrators, and the system, which runs commands of the operator. @throws ToolError forbidden */
async function requireAdministrator({ db, actor }: ReadContext): Promise<void> {
  if (actor.userId === NOBODY) return
  const user = await db
    .selectFrom('core.users')
    .select('is_administrator')
    .where('id', '=', actor.userId)
    .executeTakeFirst()
  if (user?.is_administrator) return
  throw new ToolError('forbidden', 'Only administrators may read the audit trail of others.', {
    hint: 'Ask for your own entries, or have an administrator look.',
  })
}

/** Finds the owner of a credential, even if it is revoked or expired; undefined if it never existed. */
export async function findCredentialOwner(db: Db, credential: string): Promise<Partial<Actor> | undefined> {
  if (isPersonalToken(credential))
    return db
      .selectFrom('core.tokens')
      .select(['user_id as userId', 'id as credentialId', 'name as credentialLabel'])
      .where('hash', '=', hashToken(credential))
      .executeTakeFirst()
  const row = await db
    .selectFrom('core.oauth_artifacts')
    .select(['user_id', 'connection_id as credentialId'])
    .where('id', '=', artifactId('AccessToken', credential))
    .executeTakeFirst()
  return row?.user_id ? { userId: row.user_id, credentialId: row.credentialId } : undefined
}

/** Deletes entries that exceed the retention period. */
export async function deleteOldAudit(ctx: WriteContext, keepDays: number): Promise<void> {
  // The trigger uses the clock of the database, which `ctx.now` may differ from.
  const until = new Date(Math.min(ctx.now.getTime() - keepDays * DAY_MS, Date.now() - MIN_DAYS * DAY_MS))
  await setForTransaction(ctx.db, 'tasuki.audit_retention', 'on')
  await ctx.db.deleteFrom('core.audit').where('at', '<', until.toISOString()).execute()
  await setForTransaction(ctx.db, 'tasuki.audit_retention', 'off')
}
