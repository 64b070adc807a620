import { emailChanged, rowsAboutUsers, timeZoneSaved, userDeleted } from 'tasuki/plugin'
import { moveInvitations } from './invitation.repository.ts'
import { findMembersOf } from './member.repository.ts'

/** The user's rows in projects of other owners, and handlers for changed emails and deleted users. */
export const onUsers = [
  rowsAboutUsers({ table: 'projects.members', column: 'user_id' }),
  rowsAboutUsers({ table: 'projects.invitations', column: 'email', holds: 'email' }),
  rowsAboutUsers({ table: 'projects.declined_inviters', column: 'inviter_id', exported: false }),
  emailChanged(moveInvitations),
  // The names by which members know the projects have the address of the owner.
  emailChanged(async (ctx, { userId }) => ctx.claimsChanged(await findMembersOf(ctx, userId))),
  timeZoneSaved(async (ctx, userId) => ctx.claimsChanged(await findMembersOf(ctx, userId))),
  userDeleted(async (ctx, { id }) => ctx.claimsChanged(await findMembersOf(ctx, id))),
]
