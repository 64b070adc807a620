import { Type } from '@sinclair/typebox'
import { loadConfig } from '../../host/config/load.ts'
import { loadFastifyPlugins, loadPlugins } from '../../host/config/plugins.ts'
import { configFolder } from '../../host/start.ts'
import { registryOf } from '../call-command.ts'
import { formatTable } from '../table.ts'
import { localCommand } from './local-command.ts'

export const pluginList = localCommand({
  name: 'plugins',
  summary: 'List plugins, where they come from, what they need and how many tools they add.',
  args: Type.Object({}),
  async run(env) {
    const config = await loadConfig(env.configFile)
    const { plugins, skipped } = await registryOf(env)
    const folder = configFolder(env)
    const origins = await originsOf(config, folder)
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
    const disabled = Object.entries(config.plugins)
      .filter(([, options]) => options === false)
      .map(([plugin]) => ({ plugin, state: 'off' }))
    process.stdout.write(`${await formatTable([...enabled, ...plain, ...disabled])}\n`)
    for (const line of skipped) process.stdout.write(`Not used, because its target is off: ${line}\n`)
    return 0
  },
})

/** Maps plugin names to the packages and paths that contain them. */
async function originsOf(config: Awaited<ReturnType<typeof loadConfig>>, folder: string): Promise<Map<string, string>> {
  const foreign = Object.entries(config.plugins).filter(([key, options]) => options !== false && /\W/.test(key))
  const loaded = await Promise.all(
    foreign.map(async ([key]) => ({ key, found: await loadPlugins({ ...config, plugins: { [key]: {} } }, folder) })),
  )
  return new Map(loaded.flatMap(({ key, found }) => found.map(({ plugin }) => [plugin.spec.name, key] as const)))
}
