import { databaseFolder, readEnvironment, type Environment } from '../host/config/environment.ts'
import { preopenDatabase, hasCluster } from '../db/pglite/preopen.ts'

/** While the program that serves is being loaded, which takes as long, the embedded database opens in its own thread. */
export function preopenForServer(argv: readonly string[], variables: NodeJS.ProcessEnv): void {
  if (argv.length > 1 || (argv[0] ?? 'start') !== 'start') return
  let env: Environment
  try {
    env = readEnvironment(variables)
  } catch {
    // The command itself tells what is wrong with a variable.
    return
  }
  if (env.databaseUrl === null) preopenDatabase(databaseFolder(env))
}

/** The same for commands on the database, which need not make one. */
export function preopenForCommand(env: Environment): void {
  if (env.databaseUrl !== null) return
  const folder = databaseFolder(env)
  if (hasCluster(folder)) preopenDatabase(folder)
}
