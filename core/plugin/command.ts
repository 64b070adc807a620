import type { Static, TObject } from '@sinclair/typebox'
import type { ReadContext, WriteContext } from './context.ts'

/** A sub-command of the `tasuki` command line. It runs in the serving process when there is one, else on the opened database. */
export interface Command<A = unknown> {
  /** Words after `tasuki`, for example `project create`; two, but for the host's own. */
  readonly name: string
  readonly summary: string
  /** Options and positional arguments; underscores are dashes on the command line. */
  readonly args: TObject
  /** Names of the arguments that are given without their name, in order. */
  readonly positional?: readonly string[]
  /**
   * That it only reads, or does with such arguments: it gets a read context, and runs on the database as it is,
   * which is neither made nor migrated for it. Default false.
   */
  readonly reads?: boolean | ((args: A) => boolean)
  /** Works with the rights and switches of the user that its argument `user` names, or of the only one; default as the system. */
  readonly forUser?: boolean
  /** Names of arguments that are paths of files: they are completed where the command was given, since another process may run it. */
  readonly files?: readonly string[]
  /** Name of the argument with the file that the `output` of its results goes to; default standard output. */
  readonly output?: string
  /** Returns what is printed: rows become a table, `--json` prints them as they are. */
  run(ctx: WriteContext, args: A): Promise<CommandResult>
}
export interface CommandResult {
  readonly text?: string
  /** Content that goes to the file of `Command.output` as it is, after that of the calls before; the command line writes it. */
  readonly output?: string
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
  /** Work in sets: the command is called again with these arguments, in a transaction of its own. */
  readonly next?: { readonly args: Readonly<Record<string, unknown>>; readonly done: number; readonly total: number }
}

type Declared<S extends TObject, C> = Omit<Command, 'args' | 'reads' | 'run'> & {
  readonly args: S
  run(ctx: C, args: Static<S>): Promise<CommandResult>
}

/** Declares a command; the types of its arguments come from their schema. */
export function defineCommand<S extends TObject>(
  command: Declared<S, ReadContext> & { readonly reads: true },
): Command<Static<S>>
export function defineCommand<S extends TObject>(
  command: Declared<S, WriteContext> & { readonly reads?: false | ((args: Static<S>) => boolean) },
): Command<Static<S>>
export function defineCommand(command: Command): Command {
  return command
}

/** Whether a command, called with these arguments, leaves the database as it is. */
export function onlyReads({ reads = false }: Command, args: unknown): boolean {
  return typeof reads === 'function' ? reads(args) : reads
}
