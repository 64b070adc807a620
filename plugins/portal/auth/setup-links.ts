import { hash, randomBytes } from 'node:crypto'
import { sql, type ReadContext, type WriteContext } from 'tasuki/plugin'

const HOURS = 24

/**
 * Makes a code that sets a password once, within a day. Of one user only the last one counts.
 * @param userId null = whoever has the code becomes the first user
 */
export async function newSetupLink(ctx: WriteContext, userId: string | null): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  if (userId !== null) await sql`delete from portal.setup_links where user_id = ${userId}`.execute(ctx.db)
  await ctx.db
    .insertInto('portal.setup_links')
    .values({
      hash: hashOf(code),
      user_id: userId,
      expires_at: new Date(ctx.now.getTime() + HOURS * 3_600_000),
    })
    .execute()
  return code
}

export interface SetupLink {
  /** Null = the first user is still to be made. */
  readonly userId: string | null
}

/** What a code is for; null when it is unknown, used or too old. */
export async function findSetupLink(ctx: ReadContext, code: string): Promise<SetupLink | null> {
  const { rows } = await sql<SetupLink>`
    select user_id as "userId" from portal.setup_links where hash = ${hashOf(code)} and expires_at > ${ctx.now}
  `.execute(ctx.db)
  return rows[0] ?? null
}

/** Uses a code up; null when it is unknown, used or too old. Of two at once one gets it. */
export async function takeSetupLink(ctx: WriteContext, code: string): Promise<SetupLink | null> {
  const { rows } = await sql<SetupLink>`
    delete from portal.setup_links where hash = ${hashOf(code)} and expires_at > ${ctx.now} returning user_id as "userId"
  `.execute(ctx.db)
  return rows[0] ?? null
}

/** Tells whether there is anything to set up. */
export async function hasSetupLinks(ctx: ReadContext): Promise<boolean> {
  const { rows } = await sql`select from portal.setup_links where expires_at > ${ctx.now} limit 1`.execute(ctx.db)
  return rows.length > 0
}

function hashOf(code: string): string {
  return hash('sha256', code.trim(), 'base64url')
}
