import type { Environment } from '../host/config/environment.ts'
import { commandShape, registryOf } from './call-command.ts'
import { usage, type CommandShape } from './command-line.ts'
import { coreCommands } from './commands/index.ts'
import { localCommands } from './local/index.ts'
import type { DatabaseCommand } from './host-command.ts'
import { commandsOf } from './run-command.ts'

/** What `tasuki help` prints: every command, those of the configured plugins too. */
export async function help(env: Environment): Promise<string> {
  const { commands, problem } = await knownCommands(env)
  const lines = [...localCommands, ...commands.map(commandShape)].map(overview)
  return [
    'tasuki: tasks, notes and calendar for AI clients over MCP',
    '',
    ...lines,
    '  tasuki help\n      Show this. After a command, --help shows its arguments.',
    '  tasuki --version\n      Show the version.',
    '',
    'The environment says where the database and the config are: config/README.md lists the variables and the settings.',
    ...(problem === null ? [] : ['', `The commands of plugins are left out, because the config is wrong: ${problem}`]),
  ].join('\n')
}

function overview(command: CommandShape): string {
  return `  ${usage(command)}\n      ${command.summary}`
}

/** Help must come also while the config is broken. */
async function knownCommands(
  env: Environment,
): Promise<{ commands: readonly DatabaseCommand[]; problem: string | null }> {
  try {
    return { commands: [...commandsOf(await registryOf(env)).values()], problem: null }
  } catch (error) {
    return { commands: coreCommands, problem: (error as Error).message }
  }
}
