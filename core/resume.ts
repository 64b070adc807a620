import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Authenticator } from './auth/authenticator.ts'
import type { Database } from './db/database.ts'
import type { CallScope, Runner } from './db/run.ts'
import { silentClient } from './jobs/silent-client.ts'
import type { Log } from './plugin/context.ts'
import type { Registry } from './registry/types.ts'

export interface ResumeOptions {
  readonly database: Database
  readonly registry: Registry
  readonly runner: Runner
  readonly authenticator: Authenticator
  readonly log: Log
}

/** Lets plugins that are new or were off catch up, once, and notes which plugins run now. */
export async function resumePlugins({ database, registry, runner, authenticator, log }: ResumeOptions): Promise<void> {
  const { rows } = await sql<{ name: string; enabled: boolean; seen_at: string }>`
    select name, enabled, to_char(seen_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as seen_at from core.plugins
  `.execute(database.read)
  const before = new Map(rows.map(row => [row.name, row]))
  const missed = registry.plugins.filter(plugin => !before.get(plugin.name)?.enabled)
  const unchanged =
    missed.length === 0 && rows.every(row => !row.enabled || registry.plugins.some(plugin => plugin.name === row.name))
  if (unchanged) return
  const scope: CallScope = {
    principal: authenticator.systemPrincipal(),
    name: 'boot',
    requestId: randomUUID(),
    ifUpdatedAt: null,
    clientName: null,
    signal: new AbortController().signal,
    log,
    client: silentClient,
  }
  await runner.write(scope, async ctx => {
    // Instances that start together wait here; the loser repeats work that every `resumed` must allow to be repeated.
    await sql`lock table core.plugins in exclusive mode`.execute(ctx.db)
    for (const plugin of missed) {
      const seen = before.get(plugin.name)?.seen_at
      await plugin.resumed?.(ctx, seen === undefined ? null : new Date(seen))
    }
    const now = JSON.stringify(registry.plugins.map(({ name, version }) => ({ name, version })))
    await sql`
      insert into core.plugins (name, version, enabled, seen_at)
      select name, version, true, ${ctx.now} from jsonb_to_recordset(${now}::jsonb) as p (name text, version text)
      on conflict (name) do update set version = excluded.version, enabled = true, seen_at = excluded.seen_at
    `.execute(ctx.db)
    await sql`
      update core.plugins set enabled = false where enabled and not (${now}::jsonb @> jsonb_build_array(jsonb_build_object('name', name)))
    `.execute(ctx.db)
  })
}
