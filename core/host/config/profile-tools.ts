import { HostError } from '../../plugin/errors.ts'
import { nearest } from '../../plugin/nearest.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import { loadOffPlugins } from './plugins.ts'
import type { Config } from './schema.ts'

/**
 * Checks the tools and groups that profiles name. Those of plugins that are off are accepted: the profile shows them when the plugin is on.
 * @param folder where packages and paths are resolved.
 * @throws HostError with every profile that names an unknown one, and the nearest known one.
 */
export async function checkProfileTools(config: Config, folder: string, plugins: readonly PluginSpec[]): Promise<void> {
  const named = Object.entries(config.profiles).flatMap(([profile, { tools = [], extends: _parent, ...groups }]) => [
    ...tools.map(name => ({ profile, kind: 'tool' as const, name })),
    ...Object.keys(groups).map(name => ({ profile, kind: 'group' as const, name })),
  ])
  const on = { tool: namesOf(plugins), group: groupsOf(plugins) }
  if (named.every(({ kind, name }) => on[kind].includes(name))) return
  // Only now, because plugins that are off should not slow down a start.
  const off = (await loadOffPlugins(config, folder)).map(({ spec }) => spec)
  const known = { tool: [...on.tool, ...namesOf(off)], group: [...on.group, ...groupsOf(off)] }
  const problems = named
    .filter(({ kind, name }) => !known[kind].includes(name))
    .map(({ profile, kind, name }) => {
      const meant = nearest(name, known[kind])
      const fix = meant === null ? 'correct it or take it out' : `did you mean ${meant}?`
      return `profile ${profile} names the ${kind} ${name}, which no plugin has; ${fix}`
    })
  if (problems.length > 0) throw new HostError(problems.join('\n'))
}

function namesOf(plugins: readonly PluginSpec[]): string[] {
  return plugins.flatMap(({ tools = [] }) => tools.map(({ name }) => name))
}

function groupsOf(plugins: readonly PluginSpec[]): string[] {
  return ['*', ...plugins.flatMap(({ group, tools = [] }) => [group, ...tools.map(tool => tool.group ?? group)])]
}
