import type { WriteContext } from 'tasuki/plugin'
import { acceptInvitation, readInvitations, setMember } from '../plugins/projects/index.ts'
import type { MemberRole, ProjectRow } from '../plugins/projects/index.ts'

/** Makes a user a member of a project as people do: the owner invites, and the user accepts. Role null removes the user. */
export async function share(
  ctx: WriteContext,
  project: ProjectRow,
  email: string,
  role: MemberRole | null,
): Promise<void> {
  await setMember(ctx, project, email, role)
  if (role) await acceptAll(ctx, email)
}

/** Accepts every invitation of a user. */
export async function acceptAll(ctx: WriteContext, email: string): Promise<void> {
  const user = await ctx.users.require(email)
  for (const { id } of await readInvitations(ctx, user.email)) await acceptInvitation(ctx, user, id)
}
