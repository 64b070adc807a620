import { Type } from '@sinclair/typebox'
import { resolve } from 'node:path'
import type { Environment } from '../host/config/environment.ts'
import { loadConfig } from '../host/config/load.ts'
import { loadPlugins } from '../host/config/plugins.ts'
import { checkProfileTools } from '../host/config/profile-tools.ts'
import { readTrustedProxies } from '../host/config/trusted-proxies.ts'
import { isReadOnly, type CommandResult } from '../plugin/command.ts'
import { compile } from '../runtime/registry/compile.ts'
import { importContributions } from '../runtime/registry/lazy-contributions.ts'
import type { Registry } from '../runtime/registry/types.ts'
import { configFolder, hostFrom, readerFrom } from '../host/start.ts'
import { openOutput, type Output } from './output.ts'
import { readArguments, type CommandShape } from './command-line.ts'
import { sendCommand } from './control.ts'
import type { DatabaseCommand } from './host-command.ts'
import { runCommand } from './run-command.ts'
import { formatTable } from './table.ts'

const JSON_OPTION = Type.Optional(Type.Boolean({ description: 'Print JSON instead of a table.' }))

/** Returns the arguments of a database command, including the option for JSON. */
export function commandShape({ name, summary, args, positional = [] }: DatabaseCommand): CommandShape {
  return { name, summary, positional, args: Type.Object({ ...args.properties, json: JSON_OPTION }) }
}

/** Runs a database command: in the server process if one is running, else in this process. @returns the exit code */
export async function callCommand(
  env: Environment,
  command: DatabaseCommand,
  argv: readonly string[],
): Promise<number> {
  const { json, ...parsed } = readArguments(commandShape(command), argv) as Record<string, unknown>
  for (const name of command.files ?? []) if (typeof parsed[name] === 'string') parsed[name] = resolve(parsed[name])
  const args = ('localize' in command ? (command.localize?.(parsed as never) ?? parsed) : parsed) as Record<
    string,
    unknown
  >
  const target = 'output' in command && command.output !== undefined ? openOutput(args[command.output]) : null
  try {
    const result = await runInSets(env, command, args, target)
    await target?.done()
    // The result must not be mixed with the command's output.
    if (!target?.isStandard) process.stdout.write(await formatResult(result, json === true))
    else if (process.stderr.isTTY) process.stderr.write(await formatResult(result, json === true))
    return 0
  } catch (error) {
    await target?.fail()
    throw error
  }
}

/** Compiles the registry of the configured plugins, without a database. */
export async function registryOf(env: Environment): Promise<Registry> {
  const config = await loadConfig(env.configFile)
  const folder = configFolder(env)
  const plugins = await loadPlugins(config, folder)
  const added = await importContributions(plugins.map(({ plugin, options }) => ({ spec: plugin.spec, options })))
  const registry = compile(added, { profiles: config.profiles })
  await checkProfileTools(config, folder, registry.plugins)
  readTrustedProxies(config)
  return registry
}

/** Calls a command until it has processed all batches. */
async function runInSets(
  env: Environment,
  command: DatabaseCommand,
  args: Record<string, unknown>,
  target: Output | null,
): Promise<CommandResult> {
  let localHost: Awaited<ReturnType<typeof hostFrom>> | undefined
  try {
    const showProgress = progressSince(performance.now())
    for (let currentArgs: unknown = args; ;) {
      const remoteResult = localHost === undefined ? await sendCommand(env, command.name, currentArgs) : null
      if (remoteResult === null)
        localHost ??= await ('onHost' in command || isReadOnly(command, currentArgs)
          ? readerFrom(env)
          : hostFrom(env, false))
      const result = remoteResult ?? (await runCommand(localHost!, command.name, currentArgs))
      if (target && result.output !== undefined) await target.write(result.output)
      if (!result.next) return result
      showProgress(result.next)
      currentArgs = result.next.args
    }
  } finally {
    await localHost?.app.close()
  }
}

const BAR_WIDTH = 30

/** Interval of progress lines without a terminal, in milliseconds. */
const LINE_MS = 10_000

/** Creates a progress display with rate and remaining time: a bar in a terminal, else a line from time to time. */
function progressSince(began: number): (progress: { readonly done: number; readonly total: number }) => void {
  let shownAt = began
  return ({ done, total }) => {
    const now = performance.now()
    const rate = (done * 1000) / Math.max(now - began, 1)
    const rest = Math.ceil(Math.max(total - done, 0) / Math.max(rate, 0.001))
    const text = `${done} / ${total}, ${Math.round(rate)} a second, ${rest} s left`
    if (process.stderr.isTTY) {
      const filled = Math.min(Math.round((BAR_WIDTH * done) / Math.max(total, 1)), BAR_WIDTH)
      const end = done >= total ? '\n' : ''
      process.stderr.write(`\r[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${text}\x1b[K${end}`)
    } else if (now - shownAt >= LINE_MS) {
      shownAt = now
      process.stderr.write(`${text}\n`)
    }
  }
}

async function formatResult({ text, rows }: CommandResult, json: boolean): Promise<string> {
  if (json) return `${JSON.stringify(rows ?? { text })}\n`
  return `${[text, rows && (await formatTable(rows))].filter(Boolean).join('\n')}\n`
}
