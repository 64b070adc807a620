import { readEnvironment } from '../config/environment.ts'
import { errorBody, HostError, ToolError } from '../plugin/errors.ts'
import { callCommand } from './call-command.ts'
import { help } from './help.ts'
import { localCommands } from './local/index.ts'
import { serve } from './serve.ts'

/** Runs `tasuki …`; without words it serves. @returns the exit code. */
export async function main(argv: readonly string[], variables: NodeJS.ProcessEnv): Promise<number> {
  try {
    const env = readEnvironment(variables)
    const [first, second] = argv
    if (first === undefined || first === 'start') return await serve(env)
    if (['help', '--help', '-h'].includes(first)) return print(await help(env))
    for (const command of localCommands) {
      if (command.name === first || command.name === `${first} ${second ?? ''}`) {
        return await command.run(env, argv.slice(command.name.split(' ').length))
      }
    }
    return await callCommand(env, argv)
  } catch (error) {
    if (error instanceof HostError) process.stderr.write(`tasuki: ${error.message}\n`)
    else if (error instanceof ToolError) process.stderr.write(`tasuki: ${told(error)}\n`)
    else process.stderr.write(`tasuki: ${(error as Error).stack ?? String(error)}\n`)
    return 1
  }
}

function told(error: ToolError): string {
  const { message, hint, allowed } = errorBody(error)
  return [message, allowed && `Allowed: ${allowed.join(', ')}.`, hint].filter(Boolean).join(' ')
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}
