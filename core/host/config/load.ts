import { Value } from '@sinclair/typebox/value'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HostError } from '../../plugin/errors.ts'
import { PACKAGE_FOLDER } from '../../plugin/version.ts'
import { settingProblem } from '../../runtime/registry/setting-problem.ts'
import { ConfigSchema, DEFAULT_SCHEDULE, type Config } from './schema.ts'

/** The config folder of the project. */
export const CONFIG_FOLDER = pathToFileURL(join(PACKAGE_FOLDER, 'config/'))

export type Json = Readonly<Record<string, unknown>>

/**
 * Reads config/default.json and profiles.json, then merges the operator's file and the overrides into them.
 * Objects are merged recursively; other values, including arrays, are replaced.
 * @throws HostError that names the file, the key and the problem
 */
export async function loadConfig(file: string | undefined, overrides: Json = {}): Promise<Config> {
  const defaultsFile = new URL('default.json', CONFIG_FOLDER)
  const base = { ...(await readJson(defaultsFile)), profiles: await readJson(new URL('profiles.json', CONFIG_FOLDER)) }
  const operatorSettings = await readConfigFile(file)
  const source = file ?? 'config/default.json'
  const config = checkConfig(merge(merge(base, operatorSettings), overrides), source)
  if (Object.keys(operatorSettings['backups'] ?? {}).length > 0 && config.backups.folder === undefined)
    throw new HostError(`${source} is not valid:\n  backups → folder is missing; without it no backups are made`)
  if (config.backups.schedule !== DEFAULT_SCHEDULE) await checkSchedule(config.backups.schedule, source)
  return config
}

/** Parses a schedule as the queue will. Imports the parser on demand, because the start of a command does not need it. */
async function checkSchedule(schedule: string, source: string): Promise<void> {
  const { CronExpressionParser } = await import('cron-parser')
  try {
    CronExpressionParser.parse(schedule, { tz: 'UTC' })
  } catch (error) {
    throw new HostError(
      `${source} is not valid:\n  backups → schedule must be a cron expression of five fields, such as 30 1 * * *, got "${schedule}": ${(error as Error).message}`,
      { cause: error },
    )
  }
}

/** Reads only the operator's file; empty if there is none. @throws HostError */
export async function readConfigFile(file: string | undefined): Promise<Json> {
  return file === undefined ? {} : readJson(file)
}

/** Validates the config, with defaults. @throws HostError that lists the problems */
export function checkConfig(value: unknown, source: string): Config {
  const filled = Value.Default(ConfigSchema, value)
  const problems = [...Value.Errors(ConfigSchema, filled)].map(error => `  ${settingProblem(error)}`)
  if (problems.length > 0) throw new HostError(`${source} is not valid:\n${problems.slice(0, 10).join('\n')}`)
  return filled as Config
}

async function readJson(file: string | URL): Promise<Json> {
  const name = file instanceof URL ? file.pathname : file
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new HostError(`cannot read the config file ${name} (${error.code}); check the variable CONFIG`)
  })
  const value = parseJson(name, text)
  if (!isObject(value)) throw new HostError(`${name} must hold one JSON object`)
  return value
}

function parseJson(name: string, text: string): unknown {
  try {
    // Some editors write a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new HostError(`${name} is not JSON: ${(error as Error).message}`)
  }
}

function merge(base: Json, over: Json): Json {
  const result: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const before = result[key]
    result[key] = isObject(before) && isObject(value) ? merge(before, value) : value
  }
  return result
}

/** Returns whether a value of JSON is an object. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a JSON object; null if the text holds none. */
export function parseObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
