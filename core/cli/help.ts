import type { Environment } from '../host/config/environment.ts'
import { commandShape, registryOf } from './call-command.ts'
import { formatUsage, type CommandShape } from './command-line.ts'
import { coreCommands } from './commands/index.ts'
import { localCommands } from './local/index.ts'
import type { DatabaseCommand } from './host-command.ts'
import { commandsOf } from './run-command.ts'

/** Returns the output of `tasuki help`: all commands, including those of the configured plugins. */
export async function formatHelp(env: Environment): Promise<string> {
  const { commands, problem } = await knownCommands(env)
  const lines = [...localCommands, ...commands.map(commandShape)].map(formatOverview)
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

/** Describes the commands that begin with a word and continue; null if there are none. */
export async function formatGroup(env: Environment, word: string): Promise<string | null> {
  const { commands } = await knownCommands(env)
  const group = [...localCommands, ...commands.map(commandShape)].filter(({ name }) => name.startsWith(`${word} `))
  return group.length === 0 ? null : group.map(formatOverview).join('\n')
}

function formatOverview(command: CommandShape): string {
  return `  ${formatUsage(command)}\n      ${command.summary}`
}

/** Falls back to the host's commands, because help must work with an invalid config. */
async function knownCommands(
  env: Environment,
): Promise<{ commands: readonly DatabaseCommand[]; problem: string | null }> {
  try {
    return { commands: [...commandsOf(await registryOf(env)).values()], problem: null }
  } catch (error) {
    return { commands: coreCommands, problem: (error as Error).message }
  }
}
