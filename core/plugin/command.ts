import type { Static, TObject } from '@sinclair/typebox'
import type { ReadContext, WriteContext } from './context.ts'

/** A subcommand of the `tasuki` command line. It runs in the server process if one is running, else on the opened database. */
export interface Command<A = unknown> {
  /** Words after `tasuki`, for example `project create`; two words, except for the host's own commands. */
  readonly name: string
  readonly summary: string
  /** Options and positional arguments; underscores become dashes on the command line. */
  readonly args: TObject
  /** Names of the positional arguments, in order. */
  readonly positional?: readonly string[]
  /**
   * Whether the command only reads, possibly depending on its arguments. It then gets a read context and never creates or migrates the
   * database. Default false.
   */
  readonly reads?: boolean | ((args: A) => boolean)
  /** Runs with the permissions and feature switches of the user in the argument `user`, or of the only user; default: as the system. */
  readonly forUser?: boolean
  /**
   * Names of arguments that are file paths. They are resolved against the caller's working directory, because another process may run the
   * command.
   */
  readonly files?: readonly string[]
  /** Name of the argument with the file that receives the `output` of results; default standard output. */
  readonly output?: string
  /** Returns what to print: `rows` become a table, or JSON with `--json`. */
  run(ctx: WriteContext, args: A): Promise<CommandResult>
}
export interface CommandResult {
  readonly text?: string
  /** Content to append to the file of `Command.output`; the command line writes it. */
  readonly output?: string
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
  /** What `--json` prints; default the rows, or an object of text and rows. */
  readonly data?: Readonly<Record<string, unknown>>
  /** For work in batches: the command is called again with these arguments, in a new transaction. */
  readonly next?: { readonly args: Readonly<Record<string, unknown>>; readonly done: number; readonly total: number }
}

type Declared<S extends TObject, C> = Omit<Command, 'args' | 'reads' | 'run'> & {
  readonly args: S
  run(ctx: C, args: Static<S>): Promise<CommandResult>
}

/** Declares a command; its argument types are inferred from the schema. */
export function defineCommand<S extends TObject>(
  command: Declared<S, ReadContext> & { readonly reads: true },
): Command<Static<S>>
export function defineCommand<S extends TObject>(
  command: Declared<S, WriteContext> & { readonly reads?: false | ((args: Static<S>) => boolean) },
): Command<Static<S>>
export function defineCommand(command: Command): Command {
  return command
}

/** Returns whether a command with these arguments leaves the database unchanged. */
export function isReadOnly({ reads = false }: Command, args: unknown): boolean {
  return typeof reads === 'function' ? reads(args) : reads
}
