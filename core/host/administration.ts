import type { Database } from '../db/database.ts'
import { deleteUser } from '../identity/delete-user.ts'
import { disableUser, enableUser, resetSecondFactor, setAdministrator } from '../identity/users.ts'
import type { Administration, EffectiveSetting } from '../plugin/administration.ts'
import { ToolError } from '../plugin/errors.ts'
import { serviceFigures } from '../plugin/host-points.ts'
import { countJobsByName, findFailedJobs } from '../runtime/queue.repository.ts'
import { jobRetried } from '../runtime/audit/actions.ts'
import type { Queue } from '../runtime/job-queue.ts'
import type { Registry } from '../runtime/registry/types.ts'
import { listEffectiveSettings } from './config/effective.ts'
import { disabledNames } from './config/plugins.ts'
import { tryExternalServices } from './external-services.ts'
import type { HostOptions } from './host-options.ts'
import { readDatabaseState } from './state.repository.ts'
import { VERSION } from '../plugin/version.ts'

/** Limit per service, because a page waits for the result. */
const ATTEMPT_MS = 3000

interface Running {
  readonly database: Database
  readonly queue: Queue
}
type Settings = Pick<HostOptions, 'config' | 'configFile' | 'variables'>

/** Creates the administration of the whole service. @param running returns null until the host is up */
export function createAdministration(
  registry: Pick<Registry, 'plugins' | 'config' | 'all'>,
  options: Settings,
  running: () => Running | null,
): Administration {
  const settings = settingsOf(registry, options)
  return {
    settings,
    async state(ctx) {
      const external = tryExternalServices(registry, ATTEMPT_MS)
      const figures = []
      for (const count of registry.all(serviceFigures)) figures.push(await count(ctx))
      return {
        version: VERSION,
        runtime: process.version,
        engine: running()!.database.embedded ? 'pglite' : 'postgres',
        uptime: process.uptime(),
        memory: process.memoryUsage.rss(),
        ...(await readDatabaseState(ctx)),
        pools: running()!.database.load().pools,
        outside: await external,
        figures,
        plugins: [
          ...registry.plugins.map(({ name, version }) => ({ name, version, isOn: true })),
          ...disabledNames(options.config).map(name => ({ name, version: null, isOn: false })),
        ],
      }
    },
    jobs: async ctx => ({ counts: await countJobsByName(ctx), failed: await findFailedJobs(ctx) }),
    async retryJob(ctx, { id, name }) {
      const isFailed = (await findFailedJobs(ctx)).some(job => job.id === id && job.name === name)
      if (!isFailed) throw new ToolError('not_found', 'This job is not among those that failed.', { field: 'id' })
      await running()!.queue.retry(ctx.db, name, id)
      ctx.audit({ action: jobRetried, target: { kind: 'job', id, name } })
    },
    disableUser: (ctx, { email }) => disableUser(ctx, email),
    enableUser: (ctx, { email }) => enableUser(ctx, email),
    setAdministrator: (ctx, { email }, role) => setAdministrator(ctx, email, role),
    deleteUser,
    resetSecondFactor,
  }
}

/** Returns the effective settings, including the defaults of plugins. */
function settingsOf(
  { plugins, config: checked }: Pick<Registry, 'plugins' | 'config'>,
  { config, configFile = {}, variables = {} }: Settings,
): readonly EffectiveSetting[] {
  const effective = plugins.map(spec => [spec.name, spec.config ? checked(spec.config) : {}] as const)
  const whole = { ...config, plugins: { ...config.plugins, ...Object.fromEntries(effective) } }
  return listEffectiveSettings(whole, configFile, variables)
}
