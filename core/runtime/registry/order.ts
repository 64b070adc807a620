import { HostError } from '../../plugin/errors.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'

/** Sorts plugins so that each comes after those it depends on; ties by name, so that the order of the config file has no meaning. */
export function dependencyOrder<T extends { readonly spec: PluginSpec }>(plugins: readonly T[]): T[] {
  const byName = new Map<string, T>()
  for (const plugin of plugins) {
    const { name } = plugin.spec
    if (byName.has(name))
      throw new HostError(`two plugins are named ${name}; a name is also a database schema, so switch one of them off`)
    byName.set(name, plugin)
  }
  const sorted: T[] = []
  const done = new Set<string>()
  const visit = (plugin: T, path: readonly string[]): void => {
    const { name, dependsOn = [] } = plugin.spec
    if (done.has(name)) return
    if (path.includes(name))
      throw new HostError(
        `plugins depend on each other in a circle: ${[...path.slice(path.indexOf(name)), name].join(' → ')}; one of them must do without`,
      )
    for (const dependency of [...dependsOn].sort()) {
      const found = byName.get(dependency)
      if (!found)
        throw new HostError(
          `plugin ${name} needs plugin ${dependency}, which is off; add "${dependency}": {} to "plugins" in the config or switch ${name} off`,
        )
      visit(found, [...path, name])
    }
    done.add(name)
    sorted.push(plugin)
  }
  for (const name of [...byName.keys()].sort()) visit(byName.get(name)!, [])
  return sorted
}
