import { Value } from '@sinclair/typebox/value'
import { settingProblem } from './setting-problem.ts'
import { HostError } from '../../plugin/errors.ts'
import type { PluginSpec } from '../../plugin/plugin.ts'

/** Validates a plugin's settings, with defaults, and freezes them. @throws HostError that names the setting */
export function checkSettings({ name, config }: PluginSpec, options: object): unknown {
  const keys = Object.keys(options)
  if (!config) {
    if (keys.length === 0) return undefined
    throw new HostError(`config of plugin ${name}: it has no settings, but the config gives ${keys.join(', ')}; use {}`)
  }
  // Unknown settings are rejected unless the schema allows them.
  const { schema: declared } = config
  const schema = declared.additionalProperties === undefined ? { ...declared, additionalProperties: false } : declared
  const value = Value.Default(schema, structuredClone(options))
  const error = Value.Errors(schema, value).First()
  if (error) throw new HostError(`config of plugin ${name}: ${settingProblem(error)}`)
  return deepFreeze(value)
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze)
    Object.freeze(value)
  }
  return value
}
