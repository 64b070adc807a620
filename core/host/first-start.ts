import { issueToken } from '../identity/tokens.ts'
import { hasUsers, lockUsers } from '../identity/user.repository.ts'
import { createUser } from '../identity/users.ts'
import type { Environment } from './config/environment.ts'
import type { Host } from './host.ts'
import { systemScope } from '../runtime/system-scope.ts'
import type { WriteContext } from '../plugin/context.ts'
import { firstStart as firstStartPoint } from '../plugin/host-points.ts'
import { PLACEHOLDER_EMAIL, type User } from '../plugin/users.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1'])

/** Result of a start on a database without users, to be shown once. */
export interface FirstStart {
  /** E-mail address of the owner; null if the owner has yet to be created as described in `notes`. */
  readonly email: string | null
  readonly token: string | null
  /** Messages of plugins, for the origin of the service. */
  readonly notes: readonly ((origin: string) => string)[]
}

/**
 * Creates the owner if the database has no users. BOOTSTRAP_TOKEN becomes a write token of the owner. Without it, on a loopback address, a
 * token is generated and returned to be shown once.
 * The owner's e-mail address is BOOTSTRAP_EMAIL, else the answer of `askEmail`, else a placeholder.
 * On any other address no user is created without BOOTSTRAP_EMAIL or BOOTSTRAP_TOKEN: the notes for the operator explain how to create the
 * owner.
 */
export async function firstStart(
  host: Host,
  env: Environment,
  askEmail: () => Promise<string | null> = async () => null,
): Promise<FirstStart | null> {
  const { bootstrapEmail, bootstrapToken } = env
  if (await hasUsers(host.database.write)) return null
  const needsOwner = bootstrapToken === null && bootstrapEmail === null && !LOOPBACK.has(env.host)
  if (needsOwner && host.registry.all(firstStartPoint).length === 0) {
    host.app.log.warn('there is no user yet: run "tasuki user create <email>", or start with BOOTSTRAP_EMAIL')
    return null
  }
  // Before the transaction, because a person may take long to answer.
  const answer = bootstrapEmail === null && bootstrapToken === null && !needsOwner ? await askEmail() : null
  const email = bootstrapEmail ?? answer ?? PLACEHOLDER_EMAIL
  const show = bootstrapToken === null && LOOPBACK.has(env.host)
  return host.runner.write(systemScope(host.authenticator, 'first start', host.app.log), async ctx => {
    // Two instances may start on the same empty database: the second waits here and then finds the owner.
    await lockUsers(ctx.db)
    if (await hasUsers(ctx.db)) return null
    if (needsOwner) return { email: null, token: null, notes: await collectNotes(ctx, null) }
    const user = await createUser(ctx, { email })
    if (bootstrapToken === null && !show)
      return { email: user.email, token: null, notes: await collectNotes(ctx, user) }
    const token = await issueToken(ctx, {
      userId: user.id,
      name: 'first start',
      scope: 'write',
      ...(bootstrapToken !== null && { value: bootstrapToken }),
    })
    return { email: user.email, token: show ? token.value : null, notes: await collectNotes(ctx, user) }
  })
}

async function collectNotes(ctx: WriteContext, owner: User | null): Promise<FirstStart['notes']> {
  const messages: ((origin: string) => string)[] = []
  for (const write of ctx.all(firstStartPoint)) messages.push(await write(ctx, owner))
  return messages
}
