import type { SystemPrincipals } from './principal.ts'
import type { Database } from '../db/database.ts'
import { lockPlugins, storePlugins, readPlugins, type PluginState } from './plugin.repository.ts'
import type { Runner } from './runner.ts'
import { systemScope } from './system-scope.ts'
import { isConflict, isUnavailable } from '../db/failure.ts'
import type { Db, Log, WriteContext } from '../plugin/context.ts'
import { asHostError, HostError } from '../plugin/errors.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Registry } from './registry/types.ts'

export interface LifecycleOptions {
  readonly database: Database
  readonly registry: Pick<Registry, 'plugins'>
  readonly runner: Runner
  readonly principals: SystemPrincipals
  readonly log: Log
}

/** Runs `onEnabled` of plugins that are new or were disabled, and stores which plugins are enabled now. */
export async function runEnabledHooks(options: LifecycleOptions): Promise<void> {
  const { database, runner, principals, log } = options
  const { plugins } = options.registry
  if (isUnchanged(plugins, await loadPluginStates(database.write))) return
  await runner.write(systemScope(principals, 'boot', log), async ctx => {
    // Concurrently starting instances wait here, and then find that the work is done.
    await lockPlugins(ctx.db)
    const states = await loadPluginStates(ctx.db)
    for (const plugin of plugins) {
      const before = states.get(plugin.name)
      if (!before?.enabled) await runOnEnabled(plugin, ctx, before ? new Date(before.seen_at) : null)
    }
    await storePlugins(
      ctx.db,
      plugins.map(({ name, version }) => ({ name, version })),
      ctx.now,
    )
  })
}

async function runOnEnabled(plugin: PluginSpec, ctx: WriteContext, since: Date | null): Promise<void> {
  try {
    await plugin.onEnabled?.(ctx, since)
  } catch (error) {
    if (isUnavailable(error) || isConflict(error)) throw error
    const problem = `onEnabled of plugin ${plugin.name} failed: ${error instanceof Error ? error.message : String(error)}`
    throw new HostError(`${problem}; nothing was changed: correct it, or switch the plugin off`, { cause: error })
  }
}

async function loadPluginStates(db: Db): Promise<ReadonlyMap<string, PluginState>> {
  return new Map((await readPlugins(db)).map(row => [row.name, row]))
}

function isUnchanged(plugins: readonly PluginSpec[], noted: ReadonlyMap<string, PluginState>): boolean {
  const enabled = [...noted.values()].filter(row => row.enabled)
  return (
    enabled.length === plugins.length &&
    plugins.every(({ name, version }) => noted.get(name)?.enabled && noted.get(name)?.version === version)
  )
}

/** @throws HostError that begins with `failure` */
export async function attempt(failure: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw asHostError(failure, error)
  }
}
