import { readFileSync } from 'node:fs'
import { HostError } from './errors.ts'

/**
 * The secret in the environment variable that a setting names, or in the file that `<variable>_FILE` names.
 * @param setting as the operator knows it
 * @returns undefined where the setting is left out. @throws HostError where the variable has nothing
 */
export function keyFrom(setting: string, variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined
  const { [variable]: value, [`${variable}_FILE`]: file } = process.env
  if (value) return value
  if (!file)
    throw new HostError(`${setting} names the variable ${variable}, which is not set; set it, or ${variable}_FILE`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new HostError(
      `${variable}_FILE names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}
