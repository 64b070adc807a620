import { loadConfig } from '../../config/load.ts'
import { registryOf } from '../call-command.ts'
import { table } from '../table.ts'
import type { LocalCommand } from './local-command.ts'

export const pluginList: LocalCommand = {
  name: 'plugins',
  usage: 'plugins',
  summary: 'List plugins, what they need and how many tools they add.',
  async run(env) {
    const config = await loadConfig(env.configFile)
    const { plugins, skipped } = await registryOf(env)
    const on = plugins.map(({ name, version, dependsOn = [], tools = [] }) => ({
      plugin: name,
      version,
      state: 'on',
      tools: tools.length,
      needs: dependsOn.join(' ') || null,
    }))
    const off = Object.entries(config.plugins)
      .filter(([, options]) => options === false)
      .map(([plugin]) => ({ plugin, state: 'off' }))
    process.stdout.write(`${table([...on, ...off])}\n`)
    for (const line of skipped) process.stdout.write(`Not used, because its target is off: ${line}\n`)
    return 0
  },
}
