import { readdir } from 'node:fs/promises'
import { loadPlugins } from './plugins.ts'
import { ConfigSchema } from './schema.ts'

const PLUGINS_FOLDER = new URL('../../../plugins/', import.meta.url)

/** Builds the JSON Schema of a config file, with the settings of all built-in plugins. */
export async function configJsonSchema(): Promise<object> {
  const names = (await readdir(PLUGINS_FOLDER, { withFileTypes: true }))
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort()
  const found = await loadPlugins({ plugins: Object.fromEntries(names.map(name => [name, {}])) }, '.')
  const settings = Object.fromEntries(
    found.map(({ plugin: { spec } }) => [
      spec.name,
      {
        anyOf: [spec.config?.schema ?? { type: 'object', additionalProperties: false }, { type: 'boolean' }],
        description: `Settings of the plugin ${spec.name}; true = on with default settings, false = off.`,
      },
    ]),
  )
  const schema = JSON.parse(JSON.stringify(ConfigSchema)) as { properties: { plugins: object }; required?: string[] }
  // A file contains only differences from the defaults, so nothing is required.
  const { required: _required, ...rest } = schema
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'tasuki config',
    ...rest,
    properties: { ...schema.properties, plugins: { ...schema.properties.plugins, properties: settings } },
  }
}
