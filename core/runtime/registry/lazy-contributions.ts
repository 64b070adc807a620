import { asHostError, HostError } from '../../plugin/errors.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import type { Contribution, LazyContributions } from '../../plugin/point.ts'
import { checkSpec } from './spec.ts'

/**
 * Replaces the lazy contributions of plugins whose needs are met by the imported ones. The others stay, so that they are reported as
 * skipped.
 * @throws HostError that names the plugin that is malformed or whose module cannot be imported
 */
export async function importContributions<T extends { readonly spec: PluginSpec }>(
  plugins: readonly T[],
): Promise<T[]> {
  for (const { spec } of plugins) checkSpec(spec)
  const enabled = new Set(plugins.map(({ spec }) => spec.name))
  return Promise.all(
    plugins.map(async plugin => {
      const { name, contributes = [] } = plugin.spec
      if (!contributes.some(isLazy)) return plugin
      const imported = await Promise.all(
        contributes.map(async each =>
          isLazy(each) && each.needs.every(needed => enabled.has(needed)) ? importOf(name, each) : [each],
        ),
      )
      return { ...plugin, spec: { ...plugin.spec, contributes: imported.flat() } }
    }),
  )
}

function isLazy(contribution: Contribution | LazyContributions): contribution is LazyContributions {
  return 'load' in contribution
}

async function importOf(plugin: string, { needs, load }: LazyContributions): Promise<readonly Contribution[]> {
  const what = `what it adds to ${needs.join(' and ')}`
  let module: Awaited<ReturnType<typeof load>>
  try {
    module = await load()
  } catch (error) {
    throw asHostError(`plugin ${plugin}: ${what} could not be loaded`, error)
  }
  if (!Array.isArray(module.contributions))
    throw new HostError(`plugin ${plugin}: the module with ${what} has no list "contributions"`)
  return module.contributions
}
