import { readEnvironment, type Environment } from '../host/config/environment.ts'
import { HostError } from '../plugin/errors.ts'
import { VERSION } from '../plugin/version.ts'
import { asksForHelp } from './asks-for-help.ts'
import { readOnServer, sendCommand } from './control-client.ts'
import { formatError } from './format-error.ts'
import { runCall } from './run-call.ts'
import { UsageError } from './usage-error.ts'

/** Runs `tasuki …`; without arguments it starts the service. @returns the exit code: 0 success, 1 failure, 2 usage error */
export async function main(argv: readonly string[], variables: NodeJS.ProcessEnv): Promise<number> {
  try {
    if (['version', '--version', '-v'].includes(argv[0] ?? '')) {
      process.stdout.write(`${VERSION}\n`)
      return 0
    }
    const env = readEnvironment(variables)
    return (await runOnServer(env, argv)) ?? (await runHere(env, argv))
  } catch (error) {
    process.stderr.write(`tasuki: ${formatError(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/** Runs a command in the server that holds the embedded database. @returns null if this process has to run it */
async function runOnServer(env: Environment, words: readonly string[]): Promise<number | null> {
  const [first = 'start'] = words
  if (env.databaseUrl !== null || first === 'start' || first === 'help' || asksForHelp(words)) return null
  const call = await readOnServer(env, words)
  return (
    call &&
    runCall(call, async args => {
      const result = await sendCommand(env, call.name, args)
      if (result === null) throw new HostError('the server stopped before the command ended; run it again')
      return result
    })
  )
}

async function runHere(env: Environment, argv: readonly string[]): Promise<number> {
  // Imported only now: next to a running server a command needs neither plugins nor the database.
  const [{ dispatch }, { closePreopened }] = await Promise.all([
    import('./dispatch.ts'),
    import('../db/pglite/preopen.ts'),
  ])
  try {
    return await dispatch(argv, env)
  } finally {
    await closePreopened()
  }
}
