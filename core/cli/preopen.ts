import { databaseFolder, readEnvironment, type Environment } from '../host/config/environment.ts'
import { preopenDatabase, hasCluster } from '../db/pglite/preopen.ts'

/** Opens the embedded database in its thread while the server program loads, which takes about as long. */
export function preopenForServer(argv: readonly string[], variables: NodeJS.ProcessEnv): void {
  if (argv.length > 1 || (argv[0] ?? 'start') !== 'start') return
  try {
    const env = readEnvironment(variables)
    if (env.databaseUrl === null) preopenDatabase(databaseFolder(env))
  } catch {
    // The command itself reports invalid variables.
  }
}

/** Opens the embedded database for a command, if it exists. */
export function preopenForCommand(env: Environment): void {
  const folder = databaseFolder(env)
  if (env.databaseUrl === null && hasCluster(folder)) preopenDatabase(folder)
}
