import type { ReadContext, WriteContext } from '../plugin/context.ts'
import type { UserAccounts, UserDirectory } from '../plugin/users.ts'
import { invalidateStoredResults } from './deletion.repository.ts'
import { revokeAccess } from './revoke.ts'
import { listTokensOf } from './token.repository.ts'
import { issueTokenAndNotify, revokeToken } from './tokens.ts'
import { createUser, requireUser, setEmail, updateUser } from './users.ts'

/** Functions of this layer that contexts offer as `users`, bound to a context. */
export const accounts = {
  directory: (ctx: ReadContext): UserDirectory => ({
    require: email => requireUser(ctx, email),
    tokens: userId => listTokensOf(ctx, userId),
  }),
  accounts: (ctx: WriteContext): UserAccounts => ({
    ...accounts.directory(ctx),
    create: user => createUser(ctx, user),
    update: (userId, change) => updateUser(ctx, userId, change),
    setEmail: (user, email, from) => setEmail(ctx, user, email, from),
    issueToken: token => issueTokenAndNotify(ctx, token),
    revokeToken: (id, userId) => revokeToken(ctx, id, userId),
    forgetAnswers: userId => invalidateStoredResults(ctx, userId),
    revokeAccess: (userId, keep) => revokeAccess(ctx, userId, keep),
  }),
}
