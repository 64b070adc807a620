import { deleteWhere, HOUR_MS, PLACEHOLDER_EMAIL, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { hash, randomBytes } from 'node:crypto'
import { setupLinkIssued } from '../audit.ts'

const HOURS = 24

/**
 * Creates a one-time code for setting a password within a day. Only the latest code of a user is valid.
 * @param userId null = the code creates the first user
 */
export async function newSetupLink(ctx: WriteContext, userId: string | null): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  if (userId !== null) await deleteWhere(ctx.db, 'portal.setup_links', { user_id: userId })
  await ctx.db
    .insertInto('portal.setup_links')
    .values({ hash: hashOf(code), user_id: userId, expires_at: new Date(ctx.now.getTime() + HOURS * HOUR_MS) })
    .execute()
  ctx.audit({ action: setupLinkIssued, userId, details: { first_user: userId === null } })
  return code
}

export interface SetupLink {
  /** Null = the first user has yet to be created. */
  readonly userId: string | null
}

/** Finds the purpose of a code; null if it is unknown, used or expired. */
export async function findSetupLink({ db, now }: ReadContext, code: string): Promise<SetupLink | null> {
  const link = await db
    .selectFrom('portal.setup_links')
    .select('user_id as userId')
    .where('hash', '=', hashOf(code))
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return link ?? null
}

/** Consumes a code; null if it is unknown, used or expired. Of two concurrent calls one succeeds. */
export async function consumeSetupLink({ db, now }: WriteContext, code: string): Promise<SetupLink | null> {
  const link = await db
    .deleteFrom('portal.setup_links')
    .where('hash', '=', hashOf(code))
    .where('expires_at', '>', now.toISOString())
    .returning('user_id as userId')
    .executeTakeFirst()
  return link ?? null
}

/** Deletes the unused links of a user. @returns the number of deleted links */
export async function deleteSetupLinks({ db }: WriteContext, userId: string): Promise<number> {
  const rows = await db.deleteFrom('portal.setup_links').where('user_id', '=', userId).returning('user_id').execute()
  return rows.length
}

/** Returns whether a valid setup link exists. */
export async function hasSetupLinks({ db, now }: ReadContext): Promise<boolean> {
  const links = db.selectFrom('portal.setup_links').select('hash').where('expires_at', '>', now.toISOString())
  return (await links.limit(1).executeTakeFirst()) !== undefined
}

/** Returns whether a setup link exists for the owner of a first start, whose email is not yet known. */
export async function hasPlaceholderLink({ db, now }: ReadContext): Promise<boolean> {
  const row = await db
    .selectFrom('portal.setup_links as l')
    .innerJoin('core.users as u', 'u.id', 'l.user_id')
    .select('u.id')
    .where('l.expires_at', '>', now.toISOString())
    .where('u.email', '=', PLACEHOLDER_EMAIL)
    .executeTakeFirst()
  return row !== undefined
}

export async function isPlaceholder({ db }: ReadContext, userId: string): Promise<boolean> {
  const query = db.selectFrom('core.users').select('id').where('id', '=', userId).where('email', '=', PLACEHOLDER_EMAIL)
  return (await query.executeTakeFirst()) !== undefined
}

export async function deleteOldSetupLinks({ db, now }: WriteContext): Promise<void> {
  await db.deleteFrom('portal.setup_links').where('expires_at', '<=', now.toISOString()).execute()
}

function hashOf(code: string): string {
  return hash('sha256', code.trim(), 'base64url')
}
