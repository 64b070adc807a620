import { HostError } from '../../plugin/errors.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'

/** Collects one kind of declaration of all plugins by name. @throws HostError if two have the same name */
export function collectUnique<T extends { readonly name: string }>(
  plugins: readonly PluginSpec[],
  what: string,
  of: (spec: PluginSpec) => readonly T[] | undefined,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  const owners = new Map<string, string>()
  for (const spec of plugins) {
    for (const value of of(spec) ?? []) {
      const other = owners.get(value.name)
      if (other === spec.name) throw new HostError(`${what} ${value.name} is defined twice by ${other}; rename one`)
      const both = `${what} ${value.name} is defined by both ${other} and ${spec.name}`
      if (other !== undefined) throw new HostError(`${both}; rename one of them or switch one plugin off`)
      owners.set(value.name, spec.name)
      found.set(value.name, value)
    }
  }
  return found
}
