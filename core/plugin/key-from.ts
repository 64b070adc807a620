import { readFileSync } from 'node:fs'
import { HostError } from './errors.ts'

/**
 * Reads a secret from the environment variable that a setting names, or from the file named by `<variable>_FILE`.
 * @param setting name of the setting, for the error
 * @returns undefined if the setting is absent. @throws HostError if the variable is empty
 */
export function keyFrom(setting: string, variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined
  const { [variable]: value, [`${variable}_FILE`]: file } = process.env
  if (value) return value
  if (!file)
    throw new HostError(`${setting} names the variable ${variable}, which is not set; set it, or ${variable}_FILE`)
  return readSecretFile(`${variable}_FILE`, file)
}

/** Reads the secret in a file. @param variable names the file, for the error */
export function readSecretFile(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new HostError(`${variable} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
