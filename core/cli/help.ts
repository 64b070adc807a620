import type { Environment } from '../config/environment.ts'
import { registryOf, usage } from './call-command.ts'
import { localCommands } from './local/index.ts'
import { commandsOf } from './run-command.ts'

/** What `tasuki help` prints: every command of the configured plugins too. */
export async function help(env: Environment): Promise<string> {
  const commands = commandsOf(await registryOf(env))
  const lines = [
    ['tasuki', 'Serve. The variables are listed in config/README.md.'],
    ...localCommands.map(command => [`tasuki ${command.usage}`, command.summary]),
    ...[...commands.values()].map(command => [usage(command), command.summary]),
  ]
  return [
    'tasuki: tasks, notes and calendar for AI clients over MCP',
    '',
    ...lines.map(([call, summary]) => `  ${call}\n      ${summary}`),
  ].join('\n')
}
