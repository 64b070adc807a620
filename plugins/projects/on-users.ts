import { emailChanged, rowsAboutUsers, userDeleted } from 'tasuki/plugin'
import { moveInvitations } from './invitation.repository.ts'
import { findMembersOf } from './member.repository.ts'

/** What goes with a user from projects of others, and who has to know that projects are gone. */
export const onUsers = [
  rowsAboutUsers({ table: 'projects.members', column: 'user_id' }),
  rowsAboutUsers({ table: 'projects.invitations', column: 'email', holds: 'email' }),
  rowsAboutUsers({ table: 'projects.declined_inviters', column: 'inviter_id' }),
  emailChanged(moveInvitations),
  userDeleted(async (ctx, { id }) => ctx.claimsChanged(await findMembersOf(ctx, id))),
]
