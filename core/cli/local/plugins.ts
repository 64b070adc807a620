import { Type } from '@sinclair/typebox'
import { disabledNames, loadFastifyPlugins } from '../../host/config/plugins.ts'
import { loadEntries } from '../../host/start.ts'
import { registryOf } from '../call-command.ts'
import { formatTable } from '../table.ts'
import { localCommand } from './local-command.ts'

export const pluginList = localCommand({
  name: 'plugins',
  summary: 'List plugins, where they come from, what they need and how many tools they add.',
  args: Type.Object({}),
  async run(env) {
    const { plugins, skipped } = await registryOf(env)
    const { config, folder, plugins: entries } = await loadEntries(env)
    // The key of any other than a built-in plugin is its package or path.
    const foreign = entries.filter(({ name }) => /\W/.test(name))
    const origins = new Map(foreign.map(({ name, plugin }) => [plugin.spec.name, name]))
    const enabled = plugins.map(({ name, version, dependsOn = [], tools = [] }) => ({
      plugin: name,
      version,
      state: 'on',
      tools: tools.length,
      needs: dependsOn.join(' ') || null,
      from: origins.get(name) ?? null,
    }))
    const plain = (await loadFastifyPlugins(config, folder)).map(({ name }) => ({
      plugin: name,
      state: 'on',
      from: 'a Fastify plugin',
    }))
    const disabled = disabledNames(config).map(plugin => ({ plugin, state: 'off' }))
    process.stdout.write(`${await formatTable([...enabled, ...plain, ...disabled])}\n`)
    for (const line of skipped) process.stdout.write(`Not used, because its target is off: ${line}\n`)
  },
})
