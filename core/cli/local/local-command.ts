import type { Static, TObject } from '@sinclair/typebox'
import type { Environment } from '../../host/config/environment.ts'
import type { CommandShape } from '../command-line.ts'

/** A command that runs in this process instead of the server process. */
export interface LocalCommand<A extends TObject = TObject> extends CommandShape<A> {
  /** @returns the exit code; default 0 */
  run(env: Environment, args: Static<A>): Promise<number | undefined>
}

/** Declares a command; its argument types are inferred from the schema. */
export function localCommand<A extends TObject>(command: LocalCommand<A>): LocalCommand {
  return command
}
