import { HostError } from '../../plugin/errors.ts'
import { nearest } from '../../plugin/nearest.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'

/** Dependencies of each plugin. */
type Edges = ReadonlyMap<string, string[]>

/**
 * Sorts plugins so that each comes after its dependencies, and after its enabled optional dependencies. Ties are sorted by name, so that
 * the order in the config file has no meaning. An optional dependency that would close a cycle is ignored; edges are added in the order of
 * names, so that the result is deterministic.
 * @throws HostError if a dependency is disabled or dependencies form a cycle
 */
export function dependencyOrder<T extends { readonly spec: PluginSpec }>(plugins: readonly T[]): T[] {
  const byName = new Map<string, T>()
  for (const plugin of plugins) {
    const { name } = plugin.spec
    if (byName.has(name))
      throw new HostError(`two plugins are named ${name}; a name is also a database schema, so switch one of them off`)
    byName.set(name, plugin)
  }
  const names = [...byName.keys()].sort()
  const edges: Edges = new Map(names.map(name => [name, requiredPlugins(byName.get(name)!.spec, byName)]))
  // Detects cycles before optional dependencies are added, which never close one.
  sortByEdges(names, edges)
  for (const name of names) {
    const { optionalDependsOn = [] } = byName.get(name)!.spec
    for (const optional of [...optionalDependsOn].sort())
      if (byName.has(optional) && !isReachable(edges, optional, name)) edges.get(name)!.push(optional)
  }
  return sortByEdges(names, edges).map(name => byName.get(name)!)
}

function requiredPlugins({ name, dependsOn = [] }: PluginSpec, enabled: ReadonlyMap<string, unknown>): string[] {
  const missing = [...dependsOn].sort().find(dependency => !enabled.has(dependency))
  if (missing !== undefined) {
    const similar = nearest(missing, [...enabled.keys()])
    const added = `add "${missing}": {}, or the package that has it, to "plugins" in the config`
    const fix = similar === null ? added : `did you mean ${similar}? Correct it,`
    throw new HostError(`plugin ${name} needs plugin ${missing}, which is off; ${fix} or switch ${name} off`)
  }
  return [...dependsOn].sort()
}

/** Sorts depth first, so that a dependency comes right before the first plugin that needs it. */
function sortByEdges(names: readonly string[], edges: Edges): string[] {
  const sorted = new Set<string>()
  const visit = (name: string, path: readonly string[]): void => {
    if (sorted.has(name)) return
    if (path.includes(name))
      throw new HostError(
        `plugins depend on each other in a circle: ${[...path.slice(path.indexOf(name)), name].join(' → ')}; one of them must do without`,
      )
    for (const dependency of edges.get(name)!) visit(dependency, [...path, name])
    sorted.add(name)
  }
  for (const name of names) visit(name, [])
  return [...sorted]
}

function isReachable(edges: Edges, from: string, to: string): boolean {
  return from === to || edges.get(from)!.some(next => isReachable(edges, next, to))
}
