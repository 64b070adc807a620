import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import { userCreated } from '../plugin/host-points.ts'
import { isTimeZone } from '../plugin/time-zone.ts'
import type { NewUser, User } from '../plugin/users.ts'
import { uuid } from '../plugin/uuid.ts'
import { changeUser, findUsers, insertUser } from './user.repository.ts'

/** Creates a user with everything that the enabled plugins give to every user. @throws ToolError conflict */
export async function createUser(ctx: WriteContext, { email, name, timeZone }: NewUser): Promise<User> {
  const address = email.trim().toLowerCase()
  const user: User = {
    id: uuid(),
    email: address,
    name: name ?? address.split('@')[0]!,
    timeZone: timeZone ?? 'Asia/Tokyo',
  }
  if (!(await insertUser(ctx, user)))
    throw new ToolError('conflict', `There is already a user ${user.email}.`, { field: 'email' })
  for (const welcome of ctx.all(userCreated)) await welcome(ctx, [user])
  return user
}

/** For commands: finds a user by e-mail address, or the only one there is. @throws ToolError not_found, missing_argument */
export async function requireUser(ctx: ReadContext, email: string | undefined): Promise<User> {
  const [user, other] = await findUsers(ctx, email?.trim().toLowerCase())
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
  await changeUser(ctx, userId, { name, time_zone: timeZone })
  ctx.claimsChanged([userId])
}

/** Shuts a user out, or lets the user in again; tokens and data stay. @throws ToolError not_found */
export async function setUserDisabled(ctx: WriteContext, email: string, disabled: boolean): Promise<User> {
  const user = await requireUser(ctx, email)
  await changeUser(ctx, user.id, { disabled_at: disabled ? ctx.now : null })
  ctx.claimsChanged([user.id])
  return user
}
