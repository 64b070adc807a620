import assert from 'node:assert/strict'
import { compile } from '../../../../core/runtime/registry/compile.ts'
import { importContributions } from '../../../../core/runtime/registry/lazy-contributions.ts'
import type { Registry } from '../../../../core/runtime/registry/types.ts'
import { defineTool, HostError, Type, type PluginSpec, type Tool } from 'tasuki/plugin'

const EVERYTHING = { 'full-access': { '*': ['R', 'W', 'WD'] } }

/** Makes a plugin with a minimal declaration. */
export function spec(name: string, parts: Partial<PluginSpec> = {}): PluginSpec {
  return { name, version: '1.0.0', api: 1, group: name, ...parts }
}

/** Makes a minimal reading tool. */
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

/** Compiles plugins; a pair gives a plugin its settings. */
export function compilePlugins(
  plugins: readonly (PluginSpec | readonly [PluginSpec, object])[],
  profiles: Record<string, object> = EVERYTHING,
): Registry {
  const added = plugins.map(plugin =>
    'name' in plugin ? { spec: plugin, options: {} } : { spec: plugin[0], options: plugin[1] },
  )
  return compile(added, profiles)
}

/** Imports the lazy contributions of plugins and compiles the plugins, like the host. */
export async function compileWithImports(plugins: readonly PluginSpec[]): Promise<Registry> {
  const added = await importContributions(plugins.map(plugin => ({ spec: plugin, options: {} })))
  return compilePlugins(added.map(plugin => plugin.spec))
}

type Given = PluginSpec | readonly [PluginSpec, object]

/** Asserts that the boot fails with one HostError whose message contains all of these texts. */
export function assertRefused(plugins: readonly Given[], ...says: readonly (string | RegExp)[]): void {
  assert.throws(
    () => compilePlugins(plugins),
    (error: unknown) => {
      assert.ok(error instanceof HostError, `not a HostError: ${String(error)}`)
      assert.ok(!error.message.includes('\n'), 'more than one line')
      for (const part of says) {
        if (typeof part === 'string') assert.ok(error.message.includes(part), `"${part}" is not in: ${error.message}`)
        else assert.match(error.message, part)
      }
      return true
    },
  )
}
