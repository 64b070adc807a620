import { retryRaces, type CallScope } from '../runtime/runner.ts'
import type { Host } from '../host/host.ts'
import { systemScope } from '../runtime/system-scope.ts'
import { isReadOnly, type CommandResult } from '../plugin/command.ts'
import type { WriteContext } from '../plugin/context.ts'
import { HostError, ToolError } from '../plugin/errors.ts'
import { archiveCommands } from './commands/archive.ts'
import { coreCommands } from './commands/index.ts'
import type { DatabaseCommand } from './host-command.ts'

/** Returns all database commands by name. */
export function commandsOf(registry: Pick<Host['registry'], 'commands'>): ReadonlyMap<string, DatabaseCommand> {
  const builtIn: readonly DatabaseCommand[] = [...coreCommands, ...archiveCommands]
  return new Map([...builtIn.map(command => [command.name, command] as const), ...registry.commands])
}

/** Returns the command that a command line begins with. */
export function findCommand(
  commands: ReadonlyMap<string, DatabaseCommand>,
  words: readonly string[],
): DatabaseCommand | undefined {
  return commands.get(words.slice(0, 2).join(' ')) ?? commands.get(words[0]!)
}

/** Runs one command as the system, in a transaction if it writes. @throws ToolError */
export async function runCommand(host: Host, name: string, args: unknown): Promise<CommandResult> {
  const command = commandsOf(host.registry).get(name)
  if (!command) throw new ToolError('not_found', `There is no command "${name}".`, { hint: 'tasuki help lists them.' })
  const scope = systemScope(host.authenticator, name, host.app.log)
  const system: CallScope = { ...scope, clientName: 'tasuki command line' }
  if ('onHost' in command)
    return command.onHost(host, args as never, system).catch((error: unknown) => {
      throw error instanceof HostError ? new ToolError('conflict', error.message) : error
    })
  const caller = command.forUser ? { ...system, principal: await principalFor(host, system, args) } : system
  // A read-only command uses only a read context.
  if (isReadOnly(command, args)) return host.runner.read(caller, ctx => command.run(ctx as WriteContext, args))
  // Retried on conflicts with other transactions, like tool calls.
  return retryRaces(() => host.runner.write(caller, ctx => command.run(ctx, args)))
}

/** Returns the principal of the user in the command's arguments. @throws ToolError not_found, forbidden */
async function principalFor(host: Host, system: CallScope, args: unknown): Promise<CallScope['principal']> {
  const { user } = args as { readonly user?: string }
  const { id } = await host.runner.read(system, ctx => ctx.users.require(user))
  const principal = await host.authenticator.principalOf(host.database.write, id)
  if (!principal) throw new ToolError('forbidden', 'The user is disabled.')
  return principal
}
