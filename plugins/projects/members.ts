import { isEmail, quoteName, ToolError, type User, type WriteContext } from 'tasuki/plugin'
import type { MemberRole } from './access.ts'
import {
  blockInviter,
  insertInvitation,
  keepAccount,
  lockOwner,
  readMemberState,
  takeInvitation,
  updateInvitation,
} from './invitation.repository.ts'
import type { Accepted } from './invitation.repository.ts'
import { deleteMember, insertMember, updateMember } from './member.repository.ts'
import { invited } from './points.ts'
import type { ProjectRow } from './project.repository.ts'
import { recordSettingChange } from './setting-change.ts'
import { settings } from './settings.ts'

type Person = Pick<User, 'id' | 'email'>
type Shared = Pick<ProjectRow, 'ownerId' | 'id' | 'key' | 'name'>

/** What a change of members affected: a membership, an invitation, or nothing. */
export type MemberChange = 'role' | 'invited' | null

/**
 * Invites an email address, changes the role of a member or invitation, or removes a member or invitation (role null). Does not reveal
 * whether the address has an account.
 * @throws ToolError invalid_argument, limit_exceeded, rate_limited
 */
export async function setMember(
  ctx: WriteContext,
  project: ProjectRow,
  address: string,
  role: MemberRole | null,
): Promise<MemberChange> {
  // Every user has an INBOX; with a shared one, the key would no longer be unambiguous.
  if (project.isInbox)
    throw new ToolError('invalid_argument', 'The Inbox cannot be shared.', {
      field: 'project_key',
      hint: 'Share another project.',
    })
  const email = address.trim().toLowerCase()
  if (!isEmail(email))
    throw new ToolError('invalid_argument', `${quoteName(address)} is not an e-mail address.`, { field: 'email' })
  await lockOwner(ctx, project.ownerId)
  const { member, invitation, isOwner, people, invited: sent } = await readMemberState(ctx, project, email)
  if (isOwner) throw new ToolError('invalid_argument', `${email} owns ${project.key}.`, { field: 'email' })
  if (member) {
    if (member.role === role) return null
    await (role ? updateMember(ctx, project, member.userId, role) : deleteMember(ctx, project, member.userId))
    await memberChanged(ctx, project, member.userId, role)
    return 'role'
  }
  if ((invitation?.role ?? null) === role) return null
  if (invitation) await updateInvitation(ctx, project.ownerId, invitation.id, role)
  else {
    checkLimits(ctx, project, people, sent)
    await insertInvitation(ctx, project, { email, role: role! })
  }
  await notifyInvited(ctx, [email])
  const after = { role, invited: true }
  await recordSettingChange(ctx, project, { kind: 'project.member.changed', of: project, after })
  return 'invited'
}

function checkLimits(ctx: WriteContext, { key }: ProjectRow, people: number, sent: number): void {
  const { members_per_project: most, invitations_per_day: perDay } = ctx.config(settings)
  if (people >= most)
    throw new ToolError('limit_exceeded', `${key} has ${people} members and invitations, and the limit is ${most}.`, {
      field: 'email',
      hint: 'Remove somebody, or withdraw an invitation first.',
    })
  if (sent >= perDay)
    throw new ToolError('rate_limited', `You invited ${sent} times within 24 hours, and the limit is ${perDay}.`, {
      field: 'email',
      hint: 'Invite more people tomorrow.',
    })
}

/** Notifies subscribers that the invitations of email addresses changed. */
export async function notifyInvited(ctx: WriteContext, emails: readonly string[]): Promise<void> {
  for (const follow of ctx.all(invited)) await follow(ctx, emails)
}

async function memberChanged(ctx: WriteContext, project: Shared, userId: string, role: MemberRole | null) {
  ctx.claimsChanged([userId])
  if (role === null) await ctx.users.forgetAnswers(userId)
  const after = { user_id: userId, role }
  await recordSettingChange(ctx, project, { kind: 'project.member.changed', of: project, after })
}

/** Accepts an invitation and makes the person a member. @throws ToolError not_found, limit_exceeded */
export async function acceptInvitation(ctx: WriteContext, person: Person, id: string): Promise<Accepted> {
  if (!(await keepAccount(ctx, person.id))) throw noInvitation()
  await lockOwner(ctx, person.id)
  const project = await takeInvitation(ctx, person.email, id)
  if (!project) throw noInvitation()
  const most = ctx.config(settings).memberships
  if (!(await insertMember(ctx, project, person.id, { role: project.role, most })))
    throw new ToolError('limit_exceeded', `You are a member of ${most} projects, which is the limit.`, {
      hint: 'Leave one of them first.',
    })
  await memberChanged(ctx, project, person.id, project.role)
  await notifyInvited(ctx, [person.email])
  return project
}

/**
 * Declines an invitation and all others of its owner, whose further invitations are hidden for a while without notice.
 * @throws ToolError not_found
 */
export async function declineInvitation(ctx: WriteContext, person: Person, id: string): Promise<void> {
  if (!(await blockInviter(ctx, person, id))) throw noInvitation()
  await notifyInvited(ctx, [person.email])
}

function noInvitation(): ToolError {
  return new ToolError('not_found', 'There is no such invitation any more.', {
    hint: 'It may have expired, or was withdrawn or answered.',
  })
}

/** Removes the user from a shared project. @throws ToolError invalid_argument, not_found */
export async function leaveProject(ctx: WriteContext, userId: string, project: Shared): Promise<void> {
  if (project.ownerId === userId)
    throw new ToolError('invalid_argument', `You own ${project.key} and cannot leave it.`, { field: 'project_key' })
  if (!(await deleteMember(ctx, project, userId)))
    throw new ToolError('not_found', `You are not a member of ${project.key}.`, { field: 'project_key' })
  await memberChanged(ctx, project, userId, null)
}
