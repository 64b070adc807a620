import type { Static, TObject } from '@sinclair/typebox'
import type { Environment } from '../../host/config/environment.ts'
import type { CommandShape } from '../command-line.ts'

/** A command of this process, which does not go through the serving one. */
export interface LocalCommand<A extends TObject = TObject> extends CommandShape<A> {
  /** @returns the exit code. */
  run(env: Environment, args: Static<A>): Promise<number>
}

/** Declares a command; the types of its arguments come from their schema. */
export function localCommand<A extends TObject>(command: LocalCommand<A>): LocalCommand {
  return command
}
