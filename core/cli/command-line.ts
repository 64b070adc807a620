import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { describeExpectation } from '../runtime/registry/expectation.ts'
import { UsageError } from './usage-error.ts'

/** Name and arguments of a command, wherever it runs. */
export interface CommandShape<A extends TObject = TObject> {
  /** Words after `tasuki`. */
  readonly name: string
  readonly summary: string
  /** Options and positional arguments; underscores become dashes on the command line. */
  readonly args: A
  /** Names of the positional arguments, in order. */
  readonly positional?: readonly string[]
}

/** Parses and validates the arguments of a command. @throws UsageError that names the invalid argument */
export function readArguments<A extends TObject>(command: CommandShape<A>, argv: readonly string[]): Static<A> {
  const { properties } = command.args
  const { values, positionals } = parse(command, argv)
  const positional = command.positional ?? []
  if (positionals.length > positional.length)
    throw usageError(command, `"${positionals[positional.length]}" is one argument too many`)
  const provided = new Map(positionals.map((value, n) => [positional[n]!, value as string | boolean]))
  for (const key of Object.keys(properties)) {
    const value = values[toDashes(key)]
    if (value !== undefined) provided.set(key, value as string | boolean)
  }
  const args = Object.fromEntries([...provided].map(([key, value]) => [key, parseValue(properties[key], value)]))
  const withDefaults = Value.Default(command.args, args)
  const problem = Value.Errors(command.args, withDefaults).First()
  if (problem) {
    const key = problem.path.slice(1)
    const givenValue = provided.get(key)
    const what = `${formatLabel(command, key)} must be ${describeExpectation(problem.schema)}`
    throw usageError(
      command,
      givenValue === undefined ? `${formatLabel(command, key)} is missing` : `${what}, got "${givenValue}"`,
    )
  }
  return withDefaults as Static<A>
}

function parse(command: CommandShape, argv: readonly string[]): ReturnType<typeof parseArgs> {
  const options: ParseArgsConfig['options'] = {}
  for (const [key, schema] of Object.entries(command.args.properties))
    options[toDashes(key)] = { type: schema['type'] === 'boolean' ? 'boolean' : 'string' }
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (error) {
    // The rest of the message is advice for programmers.
    throw usageError(command, (error as Error).message.split('. ', 1)[0]!)
  }
}

function usageError(command: CommandShape, problem: string): UsageError {
  return new UsageError(`${problem}\nUsage: ${formatUsage(command)}\nMore:  tasuki ${command.name} --help`)
}

function parseValue(schema: TSchema | undefined, value: string | boolean): unknown {
  const isNumber = schema?.['type'] === 'integer' || schema?.['type'] === 'number'
  return isNumber && value !== '' && Number.isFinite(Number(value)) ? Number(value) : value
}

/** Returns one line with the syntax of a command. */
export function formatUsage(command: CommandShape): string {
  const { required: withDefaults = [], properties } = command.args
  const required = new Set(withDefaults.filter(key => properties[key]?.['default'] === undefined))
  const positional = command.positional ?? []
  const words = positional.map(key => (required.has(key) ? `<${toDashes(key)}>` : `[${toDashes(key)}]`))
  const options = Object.keys(properties)
    .filter(key => !positional.includes(key))
    .map(key => (required.has(key) ? `--${withValue(command, key)}` : `[--${withValue(command, key)}]`))
  return ['tasuki', ...(command.name === '' ? [] : [command.name]), ...words, ...options].join(' ')
}

/** Returns the output of `--help` for a command. */
export function formatManual(command: CommandShape): string {
  const lines = Object.entries(command.args.properties).map(([key, schema]) => {
    const { description, default: preset } = schema as { description?: string; default?: unknown }
    const choices = Array.isArray(schema['enum']) ? `${schema['enum'].join(' or ')}.` : undefined
    const fallback = preset === undefined ? undefined : `Default ${String(preset)}.`
    return [formatLabel(command, key), [choices, description, fallback].filter(Boolean).join(' ')] as const
  })
  const width = Math.max(0, ...lines.map(([name]) => name.length))
  const args = lines.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd())
  return [command.summary, '', `Usage: ${formatUsage(command)}`, ...(args.length > 0 ? ['', ...args] : [])].join('\n')
}

/** Formats an argument as the user writes it. */
function formatLabel(command: CommandShape, key: string): string {
  return command.positional?.includes(key) ? `<${toDashes(key)}>` : `--${withValue(command, key)}`
}

function withValue(command: CommandShape, key: string): string {
  const schema = command.args.properties[key]
  if (schema?.['type'] === 'boolean') return toDashes(key)
  const isNumber = schema?.['type'] === 'integer' || schema?.['type'] === 'number'
  const choices = Array.isArray(schema?.['enum']) ? schema['enum'].join('|') : undefined
  return `${toDashes(key)} <${choices ?? (isNumber ? 'number' : 'text')}>`
}

function toDashes(key: string): string {
  return key.replaceAll('_', '-')
}
