import type { FastifyInstance, FastifyPluginCallback } from 'fastify'
import type { PluginSpec } from '../plugin/plugin.ts'
import { HOST_SERVICES, type HostServices } from '../plugin/services.ts'
import { attempt } from '../runtime/plugin-lifecycle.ts'
import type { HostOptions } from './host-options.ts'

/**
 * Registers plugins with Fastify, in dependency order. Their declarations are already compiled, so that routes can use contributions of
 * other plugins. Plain Fastify plugins follow, so that they can use the plugins' decorators.
 * @throws HostError that names the plugin
 */
export async function registerPlugins(
  app: FastifyInstance,
  ordered: readonly PluginSpec[],
  { plugins, fastifyPlugins = [] }: Pick<HostOptions, 'plugins' | 'fastifyPlugins'>,
  services: HostServices,
): Promise<void> {
  const byName = new Map(plugins.map(configured => [configured.plugin.spec.name, configured]))
  app.decorate(HOST_SERVICES, services)
  catchThrown(app)
  for (const { name } of ordered) {
    const { plugin, options } = byName.get(name)!
    await attempt(`plugin ${name} could not be registered`, async () => {
      await app.register(plugin, options)
      if (['GET', 'POST'].some(method => app.hasRoute({ url: '/mcp', method })))
        throw new Error('its route /mcp is the address of the tools; give it another path')
    })
  }
  for (const { name, plugin, options } of fastifyPlugins)
    await attempt(`Fastify plugin "${name}" could not be registered`, async () => app.register(plugin, options))
}

/** Makes what a plugin throws before it returns an error of its registration: it would end the process, without the plugin's name. */
function catchThrown(app: FastifyInstance): void {
  const register = app.register.bind(app) as (plugin: unknown, options: unknown) => unknown
  app.register = function (this: FastifyInstance, plugin: unknown, options: unknown) {
    register(typeof plugin === 'function' ? new Proxy(plugin, { apply: passThrown }) : plugin, options)
    return this
  } as typeof app.register
}

function passThrown(plugin: FastifyPluginCallback, _this: unknown, passed: Parameters<FastifyPluginCallback>): unknown {
  try {
    return plugin(...passed)
  } catch (error) {
    return passed[2](error as Error)
  }
}
