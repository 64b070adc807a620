import { Value } from '@sinclair/typebox/value'
import { parseArgs } from 'node:util'
import type { Environment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import { loadPlugins } from '../config/plugins.ts'
import type { Command, CommandResult } from '../plugin/command.ts'
import { HostError } from '../plugin/errors.ts'
import { compile } from '../registry/compile.ts'
import type { Registry } from '../registry/types.ts'
import { configFolder, hostFrom } from '../start.ts'
import { sendCommand } from './control.ts'
import { commandsOf, runCommand } from './run-command.ts'
import { table } from './table.ts'

/** Runs a command on the database: in the serving process when there is one, else here. @returns the exit code. */
export async function callCommand(env: Environment, argv: readonly string[]): Promise<number> {
  const commands = commandsOf(await registryOf(env))
  const name = argv.slice(0, 2).join(' ')
  const command = commands.get(name)
  if (!command) throw new HostError(`there is no command "${name}"; tasuki help lists them`)
  const { args, json } = readArguments(command, argv.slice(2))
  const result = (await sendCommand(env.dataDir, name, args)) ?? (await runHere(env, name, args))
  process.stdout.write(printed(result, json))
  return 0
}

/** The registry of the configured plugins, without a database. */
export async function registryOf(env: Environment): Promise<Registry> {
  const config = await loadConfig(env.configFile)
  const plugins = await loadPlugins(config, configFolder(env))
  return compile(
    plugins.map(({ plugin, options }) => ({ spec: plugin.spec, options })),
    { profiles: config.profiles },
  )
}

async function runHere(env: Environment, name: string, args: unknown): Promise<CommandResult> {
  const host = await hostFrom(env, false)
  try {
    return await runCommand(host, name, args)
  } finally {
    await host.app.close()
  }
}

function readArguments(command: Command, argv: readonly string[]): { args: unknown; json: boolean } {
  const { properties } = command.args
  const options = Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [
      dashed(key),
      { type: schema['type'] === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const parsed = parse(
    { args: [...argv], options: { ...options, json: { type: 'boolean' } }, allowPositionals: true },
    command,
  )
  const given: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries(properties)) {
    const value = parsed.values[dashed(key)]
    if (value !== undefined)
      given[key] = schema['type'] === 'integer' || schema['type'] === 'number' ? Number(value) : value
  }
  const positional = command.positional ?? []
  if (parsed.positionals.length > positional.length)
    throw new HostError(`"${parsed.positionals[positional.length]}" is one argument too many; ${usage(command)}`)
  parsed.positionals.forEach((value, n) => (given[positional[n]!] = value))
  const args = Value.Default(command.args, given)
  const problem = Value.Errors(command.args, args).First()
  if (problem) throw new HostError(`${dashed(problem.path.slice(1))}: ${problem.message}; ${usage(command)}`)
  return { args, json: parsed.values['json'] === true }
}

function parse(config: Parameters<typeof parseArgs>[0] & object, command: Command) {
  try {
    return parseArgs(config) as { values: Record<string, unknown>; positionals: string[] }
  } catch (error) {
    throw new HostError(`${(error as Error).message}; ${usage(command)}`)
  }
}

/** One line that shows how a command is called. */
export function usage(command: Command): string {
  const required = new Set(command.args.required ?? [])
  const positional = command.positional ?? []
  const words = positional.map(key => (required.has(key) ? `<${dashed(key)}>` : `[${dashed(key)}]`))
  const options = Object.keys(command.args.properties).filter(key => !positional.includes(key))
  return ['tasuki', command.name, ...words, ...options.map(key => `[--${dashed(key)}]`)].join(' ')
}

function dashed(key: string): string {
  return key.replaceAll('_', '-')
}

function printed({ text, rows }: CommandResult, json: boolean): string {
  if (json) return `${JSON.stringify(rows ?? { text })}\n`
  return `${[text, rows && table(rows)].filter(Boolean).join('\n')}\n`
}
