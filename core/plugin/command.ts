import type { Static, TObject } from '@sinclair/typebox'
import type { WriteContext } from './context.ts'

/** A sub-command of the `tasuki` command line. It runs in the serving process when there is one, else on the opened database. */
export interface Command<A = unknown> {
  /** Words after `tasuki`, for example `project create`. */
  readonly name: `${string} ${string}`
  readonly summary: string
  /** Options and positional arguments; underscores are dashes on the command line. */
  readonly args: TObject
  /** Names of the arguments that are given without their name, in order. */
  readonly positional?: readonly string[]
  /** Returns what is printed: rows become a table, `--json` prints them as they are. */
  run(ctx: WriteContext, args: A): Promise<CommandResult>
}
export interface CommandResult {
  readonly text?: string
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
}

export function defineCommand<S extends TObject>(
  command: Omit<Command<Static<S>>, 'args'> & { readonly args: S },
): Command<Static<S>> {
  return command
}
