import { HostError } from '../../plugin/errors.ts'
import { readSecretFile } from '../../plugin/key-from.ts'

/** Variables with secrets. Each may also be given as a file, as container platforms do: `SECRET_KEY_FILE`. */
export const SECRETS = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'SECRET_KEY',
  'BOOTSTRAP_TOKEN',
  'METRICS_TOKEN',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
]

/** Reads the secret files into the variables, where libraries look for them too. @throws HostError that names the variable */
export function readSecretFiles(env: NodeJS.ProcessEnv): void {
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    if (env[name]) throw new HostError(`${name} and ${name}_FILE are both set; keep one of them`)
    const secret = readSecretFile(`${name}_FILE`, file)
    if (secret === '') throw new HostError(`${name}_FILE names ${file}, which is empty`)
    env[name] = secret
    delete env[`${name}_FILE`]
  }
}
