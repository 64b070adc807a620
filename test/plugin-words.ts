import type { PluginSpec } from 'tasuki/plugin'
import { loadConfig } from '../core/host/config/load.ts'
import { loadPlugins } from '../core/host/config/plugins.ts'
import type { CompiledTool } from '../core/runtime/registry/types.ts'

/** The default config of the repository. */
export const config = await loadConfig(undefined)
/** Names of all plugins, including those that are off by default. */
export const names = Object.keys(config.plugins)
const loaded = await loadPlugins(
  { ...config, plugins: Object.fromEntries(names.map(name => [name, {}])) },
  process.cwd(),
)
export const specs: ReadonlyMap<string, PluginSpec> = new Map(
  loaded.map(({ plugin: { spec } }) => [spec.name, spec] as const),
)

/** Returns a plugin with its dependencies. */
export function withDependencies(name: string): string[] {
  return [...new Set([...(specs.get(name)?.dependsOn ?? []).flatMap(withDependencies), name])]
}

/** Returns all plugins except these and their dependents. */
export function namesWithout(off: readonly string[]): string[] {
  return names.filter(name => !withDependencies(name).some(needed => off.includes(needed)))
}

/** Returns a config in which only these plugins are on. */
export const configOf = (on: readonly string[]): { plugins: Record<string, object | false> } => ({
  plugins: Object.fromEntries(names.map(name => [name, on.includes(name) ? {} : false])),
})

/** Returns the parameters, flags, fields and choices that a plugin adds to schemas through points. */
function contributedWords({ contributes = [] }: PluginSpec, to: (point: string) => boolean = () => true): Set<string> {
  const words = contributes
    .filter(contribution => 'point' in contribution)
    .filter(({ point }) => to(point))
    .flatMap(({ value }) => {
      if (typeof value !== 'object' || value === null) return []
      const { params = {}, fields = {}, when, name } = value as Record<string, unknown>
      return [...Object.keys(params as object), ...Object.keys(fields as object), when, name]
    })
  return new Set(words.filter(word => typeof word === 'string' && !['always', 'single'].includes(word)) as string[])
}

/** Returns the words that a plugin adds to schemas of other plugins. */
export const wordsForOthers = (spec: PluginSpec): Set<string> =>
  contributedWords(spec, point => !point.startsWith(`${spec.name}.`))

/**
 * Words with a second meaning: the version of the filter grammar, the occurrence of a text in a body, the features that a project enabled,
 * the rule and the time zone of a recurring reminder.
 */
const AMBIGUOUS = ['version', 'occurrence', 'enabled', 'recurrence_rule', 'timezone']

/** Returns the words that only disabled plugins add to schemas. Plugins may share a flag: include_relations also shows the parent. */
export function wordsOfDisabled(on: readonly string[]): ReadonlyMap<string, string> {
  const shared = new Set([...AMBIGUOUS, ...on.flatMap(plugin => [...contributedWords(specs.get(plugin)!)])])
  const off = names.filter(name => !on.includes(name))
  return new Map(
    off.flatMap(name =>
      [...wordsForOthers(specs.get(name)!)].filter(word => !shared.has(word)).map(word => [word, name] as const),
    ),
  )
}

/** Plugins whose descriptions may name tools of a plugin without which they are useless. */
const COMPANIONS: Readonly<Record<string, string>> = { workflows: 'items' }

/** Finds mentions of disabled plugins in listed tools: words of schemas, and tool names. */
export function mentionsOfDisabled(tools: Iterable<CompiledTool>, on: readonly string[]): string[] {
  const listed = [...tools]
  const words = vocabulary(listed)
  const mentions = [...wordsOfDisabled(on)].flatMap(([word, owner]) => (words.has(word) ? [`${word} of ${owner}`] : []))
  for (const owner of names.filter(name => !on.includes(name))) {
    const text = listed
      .filter(({ plugin }) => COMPANIONS[plugin.name] !== owner)
      .map(tool => JSON.stringify(tool.listed))
      .join('\n')
    mentions.push(...toolsNamed(text, owner).map(tool => `${tool} of ${owner}`))
  }
  return mentions
}

/** Returns the tools of a plugin that a text names. A one-word name such as query is also an English word. */
export function toolsNamed(text: string, plugin: string): string[] {
  return (specs.get(plugin)?.tools ?? [])
    .map(tool => tool.name)
    .filter(name => name.includes('_') && new RegExp(`\\b${name}\\b`).test(text))
}

/** Returns every property name and every choice in the schemas of a list of tools. */
export function vocabulary(tools: Iterable<CompiledTool>): Set<string> {
  const words = new Set<string>()
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties = {}, enum: choices = [] } = schema as { properties?: object; enum?: readonly unknown[] }
    for (const name of Object.keys(properties)) words.add(name)
    if (Array.isArray(choices)) for (const choice of choices) words.add(String(choice))
    Object.values(schema).forEach(walk)
  }
  for (const { listed } of tools) walk(listed)
  return words
}
