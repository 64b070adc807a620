import type { EffectiveSetting } from '../../plugin/administration.ts'
import { isObject, type Json } from './load.ts'

/** Environment variables that the service reads. */
const VARIABLES = [
  'HOST',
  'PORT',
  'BASE_URL',
  'DATA_DIR',
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'CONFIG',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'SECRET_KEY',
  'BOOTSTRAP_EMAIL',
  'BOOTSTRAP_TOKEN',
  'METRICS_TOKEN',
  'METRICS_PORT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
]
/** Names of secret settings; settings that name the file of a secret are not secret. Database URLs may contain passwords. */
const SECRET = /(secret|password|token|api_?key|access_?key|credential|_key$|^DATABASE_(REPLICA_)?URL$)/i
const PLAIN = /(_file|tokens_per_user|_tokens|token_.*(days|minutes|seconds|hours))$/i

/** Lists all settings with path, effective value and source. @param operatorFile only the operator's file */
export function listEffectiveSettings(
  config: Json,
  operatorFile: Json,
  env: NodeJS.ProcessEnv,
): readonly EffectiveSetting[] {
  const variables = VARIABLES.filter(name => env[name]).map(name => toSetting(name, env[name], 'environment'))
  const { profiles: _profiles, $schema: _schema, ...plain } = config
  return [...variables, ...leavesOf(plain, operatorFile, '')]
}

function* leavesOf(value: Json, theirs: unknown, path: string): Iterable<EffectiveSetting> {
  for (const [key, inner] of Object.entries(value)) {
    const name = path === '' ? key : `${path}.${key}`
    const fileValue = isObject(theirs) ? theirs[key] : undefined
    if (isObject(inner) && Object.keys(inner).length > 0) yield* leavesOf(inner, fileValue, name)
    else yield toSetting(name, inner, fileValue === undefined ? 'default' : 'file')
  }
}

function toSetting(name: string, value: unknown, source: EffectiveSetting['source']): EffectiveSetting {
  const last = name.slice(name.lastIndexOf('.') + 1)
  const isSecret = SECRET.test(last) && !PLAIN.test(last) && typeof value === 'string'
  return { name, value: isSecret ? null : typeof value === 'string' ? value : JSON.stringify(value), source }
}
