import { deleteWhere, PLACEHOLDER_EMAIL } from 'tasuki/plugin'
import { hash, randomBytes } from 'node:crypto'
import { setupLinkIssued } from '../audit.ts'
import type { ReadContext, WriteContext } from 'tasuki/plugin'

const HOURS = 24

/**
 * Makes a code that sets a password once, within a day. Of one user only the last one counts.
 * @param userId null = whoever has the code becomes the first user
 */
export async function newSetupLink(ctx: WriteContext, userId: string | null): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  if (userId !== null) await deleteWhere(ctx.db, 'portal.setup_links', { user_id: userId })
  await ctx.db
    .insertInto('portal.setup_links')
    .values({
      hash: hashOf(code),
      user_id: userId,
      expires_at: new Date(ctx.now.getTime() + HOURS * 3_600_000),
    })
    .execute()
  ctx.audit({ action: setupLinkIssued, userId, details: { first_user: userId === null } })
  return code
}

export interface SetupLink {
  /** Null = the first user is still to be made. */
  readonly userId: string | null
}

/** What a code is for; null when it is unknown, used or too old. */
export async function findSetupLink({ db, now }: ReadContext, code: string): Promise<SetupLink | null> {
  const link = await db
    .selectFrom('portal.setup_links')
    .select('user_id as userId')
    .where('hash', '=', hashOf(code))
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return link ?? null
}

/** Uses a code up; null when it is unknown, used or too old. Of two at once one gets it. */
export async function takeSetupLink({ db, now }: WriteContext, code: string): Promise<SetupLink | null> {
  const link = await db
    .deleteFrom('portal.setup_links')
    .where('hash', '=', hashOf(code))
    .where('expires_at', '>', now.toISOString())
    .returning('user_id as userId')
    .executeTakeFirst()
  return link ?? null
}

/** Ends the links of a user that nobody has used. @returns how many */
export async function deleteSetupLinks({ db }: WriteContext, userId: string): Promise<number> {
  const rows = await db.deleteFrom('portal.setup_links').where('user_id', '=', userId).returning('user_id').execute()
  return rows.length
}

/** Tells whether there is anything to set up. */
export async function hasSetupLinks({ db, now }: ReadContext): Promise<boolean> {
  const links = db.selectFrom('portal.setup_links').select('hash').where('expires_at', '>', now.toISOString())
  return (await links.limit(1).executeTakeFirst()) !== undefined
}

/** Tells whether a link waits for the owner of a first start, whose address nobody has told yet. */
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
