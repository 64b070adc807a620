import { sql } from 'kysely'
import type { SystemPrincipals } from './principal.ts'
import type { Database } from '../db/database.ts'
import type { Runner } from './runner.ts'
import { systemScope } from './system-scope.ts'
import type { Db, Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import { iso } from '../plugin/sql.ts'
import type { Registry } from './registry/types.ts'

export interface LifecycleOptions {
  readonly database: Database
  readonly registry: Pick<Registry, 'plugins'>
  readonly runner: Runner
  readonly principals: SystemPrincipals
  readonly log: Log
}

/** Lets plugins that are new or were off catch up, once, and notes which plugins run now. */
export async function runEnabledHooks({
  database,
  registry,
  runner,
  principals,
  log,
}: LifecycleOptions): Promise<void> {
  const { plugins } = registry
  if (isNoted(plugins, await notedPlugins(database.write))) return
  await runner.write(systemScope(principals, 'boot', log), async ctx => {
    // Instances that start together wait here, and then find the work done.
    await sql`lock table core.plugins in exclusive mode`.execute(ctx.db)
    const noted = await notedPlugins(ctx.db)
    for (const plugin of plugins) {
      const before = noted.get(plugin.name)
      if (!before?.enabled) await plugin.onEnabled?.(ctx, before ? new Date(before.seen_at) : null)
    }
    const now = JSON.stringify(plugins.map(({ name, version }) => ({ name, version })))
    await sql`
      insert into core.plugins (name, version, enabled, seen_at)
      select name, version, true, ${ctx.now} from jsonb_to_recordset(${now}::jsonb) as p (name text, version text)
      on conflict (name) do update set version = excluded.version, enabled = true, seen_at = excluded.seen_at
    `.execute(ctx.db)
    // Until this boot they were on: what they have to catch up with, once they are on again, begins here.
    await sql`
      update core.plugins set enabled = false, seen_at = ${ctx.now}
      where enabled and not (${now}::jsonb @> jsonb_build_array(jsonb_build_object('name', name)))
    `.execute(ctx.db)
  })
}

interface NotedPlugin {
  readonly name: string
  readonly version: string
  readonly enabled: boolean
  readonly seen_at: string
}

async function notedPlugins(db: Db): Promise<ReadonlyMap<string, NotedPlugin>> {
  const { rows } = await sql<NotedPlugin>`
    select name, version, enabled, ${iso('seen_at')} as seen_at from core.plugins
  `.execute(db)
  return new Map(rows.map(row => [row.name, row]))
}

function isNoted(plugins: readonly PluginSpec[], noted: ReadonlyMap<string, NotedPlugin>): boolean {
  const enabled = [...noted.values()].filter(row => row.enabled)
  return (
    enabled.length === plugins.length &&
    plugins.every(({ name, version }) => noted.get(name)?.enabled && noted.get(name)?.version === version)
  )
}
