import type { AuditAction } from '../../plugin/audit.ts'
import type { Command } from '../../plugin/command.ts'
import type { ConfigKey } from '../../plugin/config.ts'
import type { PrincipalClaim } from '../../plugin/claim.ts'
import { asHostError, HostError } from '../../plugin/errors.ts'
import { instructions } from '../../plugin/host-points.ts'
import type { Job } from '../../plugin/context.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import type { Prompt, Resource } from '../../plugin/resource.ts'
import * as hostActions from '../audit/actions.ts'
import { instructionsFor } from './instructions.ts'
import { dependencyOrder } from './order.ts'
import { collectPoints } from './points.ts'
import { resolveProfiles, type Profiles } from './profiles.ts'
import { checkSettings } from './settings.ts'
import { checkSpec } from './spec.ts'
import { compileTools } from './tools.ts'
import type { Registry } from './types.ts'
import { collectUnique } from './unique.ts'
import { createViewFactory } from './views.ts'

export interface AddedPlugin {
  readonly spec: PluginSpec
  readonly options: object
}

/**
 * Compiles declarations to the frozen tables that every request reads. Runs once, before the database is opened.
 * @throws HostError that names the plugin, the problem and the fix
 */
export function compile(added: readonly AddedPlugin[], profiles: Profiles): Registry {
  for (const { spec } of added) checkSpec(spec)
  const ordered = dependencyOrder(added)
  const plugins = ordered.map(plugin => plugin.spec)
  const points = collectPoints(plugins)
  const { all } = points
  const configs = new Map(ordered.map(({ spec, options }) => [spec.name, checkSettings(spec, options)]))
  const { tools, skipped } = compileTools(plugins, points)
  const config = <T>(key: ConfigKey<T>): T => configs.get(key.plugin) as T
  for (const spec of plugins) {
    try {
      const checked: unknown = spec.check?.({ all, config })
      if (checked instanceof Promise) throw new Error('its check must not be async, because nothing awaits it')
    } catch (error) {
      const { message, cause } = asHostError(`plugin ${spec.name} refuses this deployment`, error)
      throw new HostError(message + points.blame(others => spec.check?.({ all: others, config })), { cause })
    }
  }
  const prompts = collectUnique<Prompt>(plugins, 'prompt', spec => spec.prompts)
  const resources = [...collectUnique<Resource>(plugins, 'resource', spec => spec.resources).values()]
  return {
    plugins,
    tools,
    prompts,
    resources,
    claims: [...collectUnique<PrincipalClaim<unknown>>(plugins, 'claim', spec => spec.claims).values()],
    jobs: [...collectUnique<Job>(plugins, 'job', spec => spec.jobs).values()],
    commands: collectUnique<Command>(plugins, 'command', spec => spec.commands),
    auditActions: new Map([
      ...Object.values(hostActions).map(action => [action.name, action] as const),
      ...collectUnique<AuditAction>(plugins, 'audit action', spec => spec.auditActions),
    ]),
    profiles: Object.keys(profiles),
    skipped: [...points.skipped, ...skipped],
    all,
    addedBy: points.addedBy,
    config,
    view: createViewFactory({ tools, prompts, resources }, resolveProfiles(profiles), shown =>
      instructionsFor(all(instructions), shown),
    ),
  }
}
