import { sql } from 'kysely'
import { issueToken } from './auth/tokens.ts'
import { createUser } from './auth/users.ts'
import type { Environment } from './config/environment.ts'
import type { Host } from './host.ts'
import { systemScope } from './jobs/system-scope.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1'])

/**
 * On a database without users, creates the owner. With BOOTSTRAP_TOKEN that value becomes a write token;
 * without it a loopback address gets a token of its own, which is returned to be shown once.
 */
export async function firstStart(
  host: Host,
  env: Environment,
): Promise<{ email: string; token: string | null } | null> {
  const { bootstrapEmail, bootstrapToken } = env
  const { rows } = await sql`select 1 from core.users limit 1`.execute(host.database.write)
  if (rows.length > 0) return null
  if (bootstrapToken === null && bootstrapEmail === null && !LOOPBACK.has(env.host)) {
    host.app.log.warn('there is no user yet: run "tasuki user create <email>", or start with BOOTSTRAP_EMAIL')
    return null
  }
  const email = bootstrapEmail ?? 'owner@localhost'
  const show = bootstrapToken === null && LOOPBACK.has(env.host)
  return host.runner.write(systemScope(host.authenticator, 'first start', host.app.log), async ctx => {
    // Two instances may start on one empty database: the second waits here and then finds the owner.
    await sql`lock table core.users in exclusive mode`.execute(ctx.db)
    const again = await sql`select 1 from core.users limit 1`.execute(ctx.db)
    if (again.rows.length > 0) return null
    const user = await createUser(ctx, { email })
    if (bootstrapToken === null && !show) return { email: user.email, token: null }
    const token = await issueToken(ctx, {
      userId: user.id,
      name: 'first start',
      scope: 'write',
      ...(bootstrapToken !== null && { value: bootstrapToken }),
    })
    return { email: user.email, token: show ? token.value : null }
  })
}
