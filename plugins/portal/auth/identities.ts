import type { WriteContext } from 'tasuki/plugin'
import { findAccount } from './account.repository.ts'
import { findLinkedUser, linkIdentity, type NewIdentity } from './identity.repository.ts'

/** Finds the user of a provider's identity; by email only if the email is verified. Null = no user. */
export async function userOfIdentity(
  ctx: WriteContext,
  identity: NewIdentity,
  { byEmail }: { readonly byEmail: boolean },
): Promise<string | null> {
  const linked = await findLinkedUser(ctx, identity)
  if (linked !== null || !byEmail || identity.email === null) return linked
  const user = await findAccount(ctx, identity.email.toLowerCase())
  return user && (await linkIdentity(ctx, user.id, identity)) ? user.id : null
}
