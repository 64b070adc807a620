import type { AuditTarget } from '../plugin/audit.ts'
import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import {
  userChanged,
  administratorChanged,
  emailChanged as emailChangedAction,
  userCreated as userCreatedAction,
  userDisabled,
  userEnabled,
} from '../runtime/audit/actions.ts'
import { emailChanged, secondFactorReset, notifyAccessMade, timeZoneSaved, userCreated } from '../plugin/host-points.ts'
import { requireTimeZone } from '../plugin/time-zone.ts'
import { isEmail, PLACEHOLDER_EMAIL, type AccessOrigin, type NewUser, type User } from '../plugin/users.ts'
import { uuid } from '../plugin/uuid.ts'
import { changeEmail, changeUser, findUsers, insertUser, lockAdministrators } from './user.repository.ts'

/** Creates a user, with the data that enabled plugins create for every user; the first one is administrator. @throws ToolError conflict */
export async function createUser(ctx: WriteContext, { email, name, timeZone }: NewUser): Promise<User> {
  const address = email.trim().toLowerCase()
  const user: User = {
    id: uuid(),
    email: address,
    name: name ?? address.split('@')[0]!,
    timeZone: requireTimeZone(timeZone ?? 'Asia/Tokyo', 'time_zone'),
  }
  if (!(await insertUser(ctx, user)))
    throw new ToolError('conflict', `There is already a user ${user.email}.`, { field: 'email' })
  ctx.audit({ action: userCreatedAction, userId: user.id, target: targetOf(user) })
  for (const welcome of ctx.all(userCreated)) await welcome(ctx, [user])
  return user
}

/** Finds a user by e-mail address, or the only user; for commands. @throws ToolError not_found, missing_argument */
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

/** Changes the name of a user and the time zone of due dates. @throws ToolError invalid_argument */
export async function updateUser(
  ctx: WriteContext,
  userId: string,
  { name, timeZone }: { readonly name: string; readonly timeZone: string },
): Promise<void> {
  const changes = { name, time_zone: requireTimeZone(timeZone, 'time_zone') }
  await changeUser(ctx, userId, changes)
  for (const follow of ctx.all(timeZoneSaved)) await follow(ctx, userId)
  ctx.claimsChanged([userId])
  ctx.audit({ action: userChanged, userId, details: changes })
}

/** Changes the e-mail address of a user and notifies them, as `UserAccounts` describes. */
export async function setEmail(
  ctx: WriteContext,
  { id, email: former }: Pick<User, 'id' | 'email'>,
  email: string,
  from?: AccessOrigin,
): Promise<void> {
  const address = email.trim().toLowerCase()
  if (!isEmail(address))
    throw new ToolError('invalid_argument', 'This is no e-mail address.', {
      field: 'email',
      hint: 'For example ann@example.com.',
    })
  if (address === former) return
  if (!(await changeEmail(ctx, id, address)))
    throw new ToolError('conflict', `There is already a user ${address}.`, {
      field: 'email',
      hint: 'Choose another one.',
    })
  const change = { userId: id, former, email: address, vouched: from === undefined }
  for (const follow of ctx.all(emailChanged)) await follow(ctx, change)
  ctx.claimsChanged([id])
  ctx.audit({
    action: emailChangedAction,
    userId: id,
    target: { kind: 'user', id, name: address },
    details: { former },
  })
  // The owner of a first start has just entered this address: a notice would be a false alarm on the first visit.
  if (from === undefined && former === PLACEHOLDER_EMAIL) return
  await notifyAccessMade(ctx, {
    kind: 'email',
    userId: id,
    name: address,
    ...(from ?? { address: null, browser: null }),
  })
}

/** Blocks a user; tokens and data stay. @throws ToolError not_found, conflict for the last administrator */
export async function disableUser(ctx: WriteContext, email: string): Promise<User> {
  const user = await requireUser(ctx, email)
  await requireOtherAdministrator(ctx, user)
  await changeUser(ctx, user.id, { disabled_at: ctx.now, access_ended_at: ctx.now })
  ctx.claimsChanged([user.id])
  ctx.audit({ action: userDisabled, userId: user.id, target: targetOf(user) })
  return user
}

/** Unblocks a disabled user. @throws ToolError not_found */
export async function enableUser(ctx: WriteContext, email: string): Promise<User> {
  const user = await requireUser(ctx, email)
  await changeUser(ctx, user.id, { disabled_at: null })
  ctx.claimsChanged([user.id])
  ctx.audit({ action: userEnabled, userId: user.id, target: targetOf(user) })
  return user
}

/** Grants or removes the administrator role. @throws ToolError not_found, conflict for the last administrator */
export async function setAdministrator(
  ctx: WriteContext,
  email: string,
  { administrator }: { readonly administrator: boolean },
): Promise<User> {
  const user = await requireUser(ctx, email)
  if (!administrator) await requireOtherAdministrator(ctx, user)
  await changeUser(ctx, user.id, { is_administrator: administrator })
  ctx.audit({ action: administratorChanged, userId: user.id, target: targetOf(user), details: { administrator } })
  return user
}

/** Ensures that another administrator remains until the transaction ends. @throws ToolError conflict for the last administrator */
export async function requireOtherAdministrator(ctx: WriteContext, user: User): Promise<void> {
  const administrators = await lockAdministrators(ctx)
  if (administrators.length !== 1 || administrators[0] !== user.id) return
  throw new ToolError('conflict', `${user.email} is the last administrator.`, {
    field: 'email',
    hint: 'Make somebody else administrator first: tasuki user admin <email>, or in the portal under Settings, Users.',
  })
}

/** Removes the second factors of a user. @returns the number of removed factors */
export async function resetSecondFactor(ctx: WriteContext, user: User): Promise<number> {
  let removed = 0
  for (const reset of ctx.all(secondFactorReset)) removed += await reset(ctx, user)
  return removed
}

function targetOf({ id, email }: User): AuditTarget {
  return { kind: 'user', id, name: email }
}
