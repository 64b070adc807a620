import { readFileSync } from 'node:fs'
import { HostError } from '../../plugin/errors.ts'

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
    env[name] = secretIn(`${name}_FILE`, file)
    delete env[`${name}_FILE`]
  }
}

/** Reads the secret in a file. */
function secretIn(variable: string, file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new HostError(`${variable} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (text === '') throw new HostError(`${variable} names ${file}, which is empty`)
  return text
}
