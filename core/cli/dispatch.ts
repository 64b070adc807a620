import type { Environment } from '../host/config/environment.ts'
import { nearest } from '../plugin/nearest.ts'
import { preopenForCommand } from './preopen.ts'
import { callCommand, commandShape, registryOf } from './call-command.ts'
import { asksForHelp } from './asks-for-help.ts'
import { formatManual, readArguments } from './command-line.ts'
import { formatGroup, formatHelp } from './help.ts'
import { localCommands } from './local/index.ts'
import type { DatabaseCommand } from './host-command.ts'
import { commandsOf, findCommand } from './run-command.ts'
import { UsageError } from './usage-error.ts'

/** Finds and runs the command of a command line. @returns the exit code @throws UsageError */
export async function dispatch(argv: readonly string[], env: Environment): Promise<number> {
  const [first = 'start'] = argv
  const words = argv.length === 0 ? ['start'] : argv.slice(first === 'help' ? 1 : 0)
  const wantsHelp = first === 'help' || asksForHelp(words)
  if (words[0] === undefined || words[0].startsWith('-')) {
    if (wantsHelp) return print(await formatHelp(env))
    throw new UsageError(`${first} is not an option here; tasuki help lists the commands`)
  }
  const local = localCommands.find(({ name }) => name.split(' ').every((word, n) => words[n] === word))
  if (local) {
    if (wantsHelp) return print(formatManual(local))
    return (await local.run(env, readArguments(local, words.slice(local.name.split(' ').length)))) ?? 0
  }
  const group = wantsHelp ? await formatGroup(env, words[0]) : null
  if (group !== null && (words[1] ?? '-').startsWith('-')) return print(group)
  if (!wantsHelp) preopenForCommand(env)
  const command = await databaseCommand(env, words)
  return wantsHelp ? print(formatManual(commandShape(command))) : callCommand(env, command, words)
}

/** @throws UsageError that suggests a similar command */
async function databaseCommand(env: Environment, words: readonly string[]): Promise<DatabaseCommand> {
  const commands = commandsOf(await registryOf(env))
  const found = findCommand(commands, words)
  if (found) return found
  const names = [...commands.keys(), ...localCommands.map(command => command.name)]
  const [first] = words
  const group = names.filter(name => name.startsWith(`${first} `))
  if (group.length > 0)
    throw new UsageError(`tasuki ${first} continues with ${group.map(name => name.split(' ')[1]).join(', ')}`)
  const entered = words.slice(0, 2).join(' ')
  const suggestion = nearest(entered, names) ?? nearest(first ?? '', names)
  throw new UsageError(
    `there is no command "${entered}"${suggestion === null ? ';' : `; did you mean "${suggestion}"?`} tasuki help lists them`,
  )
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}
