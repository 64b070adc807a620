import { compile } from '../../../core/registry/compile.ts'
import type { Registry } from '../../../core/registry/types.ts'
import { defineTool, Type, type PluginSpec, type Tool } from 'tasuki/plugin'

export const EVERYTHING = { 'full-access': { '*': ['R', 'W', 'WD'] } }

/** A plugin with the least that a declaration needs. */
export function spec(name: string, parts: Partial<PluginSpec> = {}): PluginSpec {
  return { name, version: '1.0.0', api: 1, group: name, ...parts }
}

/** A reading tool with the least that a tool needs. */
export function tool(name: string, parts: Partial<Tool> = {}): Tool {
  const base = defineTool({
    name,
    class: 'R',
    title: name,
    summary: `Does ${name}.`,
    input: Type.Object({}),
    output: Type.Object({}),
    run: async () => ({}),
  })
  return { ...base, ...parts }
}

/** Compiles plugins, each with settings where a pair is given. */
export function compiled(
  plugins: readonly (PluginSpec | readonly [PluginSpec, object])[],
  profiles: Record<string, object> = EVERYTHING,
): Registry {
  const added = plugins.map(plugin =>
    'name' in plugin ? { spec: plugin, options: {} } : { spec: plugin[0], options: plugin[1] },
  )
  return compile(added, { profiles } as Parameters<typeof compile>[1])
}
