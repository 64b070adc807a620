import { HostError } from '../../plugin/errors.ts'
import { nearest } from '../../plugin/nearest.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'
import { loadOffPlugins } from './plugins.ts'
import type { Config } from './schema.ts'

/**
 * Checks the tools that profiles name. Those of plugins that are off are fine: the profile shows them once the plugin is on.
 * @param folder where packages and paths are looked up.
 * @throws HostError with every profile that names a tool which does not exist, and the nearest one.
 */
export async function checkProfileTools(config: Config, folder: string, plugins: readonly PluginSpec[]): Promise<void> {
  const named = Object.entries(config.profiles).flatMap(([profile, { tools = [] }]) =>
    tools.map(tool => ({ profile, tool })),
  )
  const on = namesOf(plugins)
  if (named.every(({ tool }) => on.includes(tool))) return
  // Only now, since what is off should cost a start nothing.
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
