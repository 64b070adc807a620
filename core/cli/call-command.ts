import { Type } from '@sinclair/typebox'
import { resolve } from 'node:path'
import type { Environment } from '../host/config/environment.ts'
import { checkProfileTools } from '../host/config/profile-tools.ts'
import { readTrustedProxies } from '../host/config/trusted-proxies.ts'
import { artifactKey, compareKeys, KEYS_OF_ANOTHER_SECRET } from '../identity/oauth/keys.ts'
import { isReadOnly, type CommandResult } from '../plugin/command.ts'
import { compile } from '../runtime/registry/compile.ts'
import { importContributions } from '../runtime/registry/lazy-contributions.ts'
import type { Registry } from '../runtime/registry/types.ts'
import type { Host } from '../host/host.ts'
import { commandHostFrom, loadEntries, originOf, readerFrom } from '../host/start.ts'
import { readArguments, type CommandShape } from './command-line.ts'
import { sendCommand } from './control-client.ts'
import type { DatabaseCommand } from './host-command.ts'
import { runCall, type CommandCall } from './run-call.ts'
import { runCommand } from './run-command.ts'

const JSON_OPTION = Type.Optional(Type.Boolean({ description: 'Print JSON instead of a table.' }))

/** Returns the arguments of a database command, including the option for JSON. */
export function commandShape({ name, summary, args, positional = [] }: DatabaseCommand): CommandShape {
  return { name, summary, positional, args: Type.Object({ ...args.properties, json: JSON_OPTION }) }
}

/**
 * Reads the arguments of a database command.
 * @param words the command line, with the name of the command @param cwd folder that relative paths start from
 * @throws UsageError
 */
export function readCall(command: DatabaseCommand, words: readonly string[], cwd: string): CommandCall {
  const argv = words.slice(command.name.split(' ').length)
  const { json, ...parsed } = readArguments(commandShape(command), argv) as Record<string, unknown>
  for (const name of command.files ?? [])
    if (typeof parsed[name] === 'string') parsed[name] = resolve(cwd, parsed[name])
  const args = 'localize' in command ? (command.localize?.(parsed as never, cwd) ?? parsed) : parsed
  const output = 'output' in command && command.output !== undefined ? (parsed[command.output] ?? null) : undefined
  return {
    name: command.name,
    args: { ...args },
    json: json === true,
    ...(output !== undefined && { output: output as string | null }),
  }
}

/** Runs a database command: in the server process if one is running, else in this process. @returns the exit code */
export async function callCommand(
  env: Environment,
  command: DatabaseCommand,
  words: readonly string[],
): Promise<number> {
  const call = readCall(command, words, process.cwd())
  let localHost: Host | undefined
  try {
    return await runCall(call, async args => {
      const remoteResult = localHost === undefined ? await sendCommand(env, command.name, args) : null
      if (remoteResult !== null) return remoteResult
      const reads = !('onHost' in command) && isReadOnly(command, args)
      localHost ??= await (reads || 'onHost' in command ? readerFrom(env) : commandHostFrom(env))
      const result = await runCommand(localHost, command.name, args)
      noteAddress(env, result)
      if (!reads) await noteOtherKey(localHost)
      return result
    })
  } finally {
    await localHost?.app.close()
  }
}

/** The environment of this process may lack what that of the service has. */
function noteAddress(env: Environment, { text, rows }: CommandResult): void {
  const origin = originOf(env)
  if (env.baseUrl === null && JSON.stringify([text, rows]).includes(origin))
    process.stderr.write(`note: BASE_URL is not set here; if the service has it, put its value in place of ${origin}\n`)
}

async function noteOtherKey({ database, options }: Host): Promise<void> {
  const state = await compareKeys(database.write, artifactKey(options.secret), new Date())
  if (state === 'mismatch') process.stderr.write(`note: ${KEYS_OF_ANOTHER_SECRET}\n`)
}

/** Compiles the registry of the configured plugins, without a database. */
export async function registryOf(env: Environment): Promise<Registry> {
  const { config, folder, plugins } = await loadEntries(env)
  const added = await importContributions(plugins.map(({ plugin, options }) => ({ spec: plugin.spec, options })))
  const registry = compile(added, config.profiles)
  await checkProfileTools(config, folder, registry.plugins)
  readTrustedProxies(config)
  return registry
}
