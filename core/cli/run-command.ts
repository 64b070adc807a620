import { randomUUID } from 'node:crypto'
import type { Host } from '../host.ts'
import { silentClient } from '../jobs/silent-client.ts'
import type { Command, CommandResult } from '../plugin/command.ts'
import { ToolError } from '../plugin/errors.ts'
import { coreCommands } from './commands/index.ts'

/** All commands that work on the database, by name. */
export function commandsOf(registry: Pick<Host['registry'], 'commands'>): ReadonlyMap<string, Command> {
  return new Map([...coreCommands.map(command => [command.name as string, command] as const), ...registry.commands])
}

/** Runs one command in one transaction, as the system. @throws ToolError */
export function runCommand(host: Host, name: string, args: unknown): Promise<CommandResult> {
  const command = commandsOf(host.registry).get(name)
  if (!command) throw new ToolError('not_found', `There is no command "${name}".`, { hint: 'tasuki help lists them.' })
  return host.runner.write(
    {
      principal: host.authenticator.systemPrincipal(),
      name,
      requestId: randomUUID(),
      ifUpdatedAt: null,
      clientName: 'tasuki command line',
      signal: new AbortController().signal,
      log: host.app.log,
      client: silentClient,
    },
    ctx => command.run(ctx, args),
  )
}
