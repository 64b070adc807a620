import { HostError } from '../../plugin/errors.ts'
import { nearest } from '../../plugin/nearest.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import { loadOffPlugins } from './plugins.ts'
import type { Config } from './schema.ts'

/**
 * Checks the tools and groups that profiles name. Those of disabled plugins are valid: the profile shows them once the plugin is enabled.
 * @param folder base folder of packages and paths
 * @throws HostError that lists unknown names and suggests known ones
 */
export async function checkProfileTools(config: Config, folder: string, plugins: readonly PluginSpec[]): Promise<void> {
  const references = Object.entries(config.profiles).flatMap(
    ([profile, { tools = [], extends: _parent, ...groups }]) => [
      ...tools.map(name => ({ profile, kind: 'tool' as const, name })),
      ...Object.keys(groups).map(name => ({ profile, kind: 'group' as const, name })),
    ],
  )
  const enabledNames = { tool: namesOf(plugins), group: groupsOf(plugins) }
  if (references.every(({ kind, name }) => enabledNames[kind].includes(name))) return
  // Loaded only now, so that disabled plugins do not slow a start down.
  const disabledPlugins = (await loadOffPlugins(config, folder)).map(({ spec }) => spec)
  const knownNames = {
    tool: [...enabledNames.tool, ...namesOf(disabledPlugins)],
    group: [...enabledNames.group, ...groupsOf(disabledPlugins)],
  }
  const problems = references
    .filter(({ kind, name }) => !knownNames[kind].includes(name))
    .map(({ profile, kind, name }) => {
      const suggestion = nearest(name, knownNames[kind])
      const fix = suggestion === null ? 'correct it or take it out' : `did you mean ${suggestion}?`
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
