import { HostError } from '../../plugin/errors.ts'
import { nearest } from '../../plugin/nearest.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import { loadOffPlugins } from './plugins.ts'
import type { Config } from './schema.ts'

/**
 * Checks the tools that profiles name. Tools of plugins that are off are accepted: the profile shows them when the plugin is on.
 * @param folder where packages and paths are resolved.
 * @throws HostError with every profile that names an unknown tool, and the nearest known one.
 */
export async function checkProfileTools(config: Config, folder: string, plugins: readonly PluginSpec[]): Promise<void> {
  const named = Object.entries(config.profiles).flatMap(([profile, { tools = [] }]) =>
    tools.map(tool => ({ profile, tool })),
  )
  const on = namesOf(plugins)
  if (named.every(({ tool }) => on.includes(tool))) return
  // Only now, because plugins that are off should not slow down a start.
  const known = [...on, ...namesOf((await loadOffPlugins(config, folder)).map(({ spec }) => spec))]
  const problems = named
    .filter(({ tool }) => !known.includes(tool))
    .map(({ profile, tool }) => {
      const meant = nearest(tool, known)
      const fix = meant === null ? 'correct it or take it out' : `did you mean ${meant}?`
      return `profile ${profile} names the tool ${tool}, which no plugin has; ${fix}`
    })
  if (problems.length > 0) throw new HostError(problems.join('\n'))
}

function namesOf(plugins: readonly PluginSpec[]): string[] {
  return plugins.flatMap(({ tools = [] }) => tools.map(({ name }) => name))
}
