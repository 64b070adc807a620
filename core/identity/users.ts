import { sql } from 'kysely'
import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { userCreated } from '../plugin/host-points.ts'
import { isTimeZone } from '../plugin/time-zone.ts'
import type { NewUser, User } from '../plugin/users.ts'
import { uuid } from '../plugin/uuid.ts'

/** Creates a user with everything that the enabled plugins give to every user. @throws ToolError conflict */
export async function createUser(ctx: WriteContext, { email, name, timeZone }: NewUser): Promise<User> {
  const address = email.trim().toLowerCase()
  const user: User = {
    id: uuid(),
    email: address,
    name: name ?? address.split('@')[0]!,
    timeZone: timeZone ?? 'Asia/Tokyo',
  }
  const { rows } = await sql`
    insert into core.users (id, email, name, time_zone, created_at) values (${user.id}, ${user.email}, ${user.name}, ${user.timeZone}, ${ctx.now})
    on conflict (email) do nothing returning id
  `.execute(ctx.db)
  if (rows.length === 0) throw new ToolError('conflict', `There is already a user ${user.email}.`, { field: 'email' })
  for (const welcome of ctx.all(userCreated)) await welcome(ctx, [user])
  return user
}

/** For commands: finds a user by e-mail address, or the only one there is. @throws ToolError not_found, missing_argument */
export async function requireUser(ctx: ReadContext, email: string | undefined): Promise<User> {
  const { rows } = await sql<User>`
    select id, email, name, time_zone as "timeZone" from core.users
    where ${email === undefined ? sql`true` : sql`email = ${email.trim().toLowerCase()}`} order by created_at limit 2
  `.execute(ctx.db)
  const [user, other] = rows
  if (!user)
    throw new ToolError('not_found', email === undefined ? 'There is no user yet.' : `There is no user ${email}.`, {
      field: 'user',
      hint: 'tasuki user create <email> makes one.',
    })
  if (other)
    throw new ToolError('missing_argument', 'There are several users: say which one.', {
      field: 'user',
      hint: 'Add --user <email>.',
    })
  return user
}

/** Changes how a user is called and in which time zone due dates are. @throws ToolError invalid_argument */
export async function updateUser(
  ctx: WriteContext,
  userId: string,
  { name, timeZone }: { readonly name: string; readonly timeZone: string },
): Promise<void> {
  if (!isTimeZone(timeZone))
    throw new ToolError('invalid_argument', `"${timeZone}" is not an IANA time zone.`, {
      field: 'time_zone',
      hint: 'For example Asia/Tokyo or Europe/Berlin.',
    })
  await sql`update core.users set name = ${name}, time_zone = ${timeZone} where id = ${userId}`.execute(ctx.db)
  ctx.claimsChanged([userId])
}

/** Shuts a user out, or lets the user in again; tokens and data stay. @throws ToolError not_found */
export async function setUserDisabled(ctx: WriteContext, email: string, disabled: boolean): Promise<User> {
  const user = await requireUser(ctx, email)
  await sql`update core.users set disabled_at = ${disabled ? ctx.now : null} where id = ${user.id}`.execute(ctx.db)
  ctx.claimsChanged([user.id])
  return user
}
