import type { Actor, ReadContext, WriteContext } from './context.ts'
import type { ErrorCode, ToolError } from './errors.ts'
import { definePoint, type Contribution } from './point.ts'
import type { ToolClass } from './tool.ts'
import type { User } from './users.ts'

/** Runs in the transaction that creates users: give them what the plugin expects every user to have. */
export const userCreated = definePoint<(ctx: WriteContext, users: readonly User[]) => Promise<void>>('core.userCreated')

/** Decides whether the feature switches that a tool names in `gates` are on for the caller; an error refuses the call. */
export const gateKeepers =
  definePoint<
    (ctx: ReadContext, gates: readonly string[], input: Readonly<Record<string, unknown>>) => ToolError | null
  >('core.gateKeepers')

/** A part of the server's `instructions`: a short sentence or two, since clients cut them; keep it to rules that several tools share. */
export const instructions = definePoint<{
  readonly rank: number
  readonly text: string
  /** Tools that it names or is about: connections without one of them are not told. */
  readonly tools?: readonly string[]
}>('core.instructions')

/**
 * Suggests values for an argument of prompts and a `{name}` part of resource templates, whatever plugin they are of, as the user types:
 * at most 100, best first; one statement.
 */
export const argumentValues = definePoint<{
  readonly argument: string
  /** @param given values of the other arguments so far */
  complete(ctx: ReadContext, value: string, given: Readonly<Record<string, string>>): Promise<readonly string[]>
}>('core.argumentValues')

/** A tool call that has its answer. */
export interface FinishedCall {
  readonly tool: string
  readonly toolClass: ToolClass
  readonly actor: Actor
  readonly at: Date
  /** The arguments, as checked; of a call that was refused for them, as given. */
  readonly input: Readonly<Record<string, unknown>>
  /** The data of the answer as JSON; null when the call failed, or answered with content blocks alone. */
  readonly result: string | null
  readonly ok: boolean
  /** Code of the refusal or fault. */
  readonly error: ErrorCode | null
}

/** Hears of all tool calls, without costing them a statement. */
export interface CallWatcher<N = unknown> {
  /** Takes down what is worth keeping; null = nothing. Every call waits for it: microseconds, no I/O, and no hold on input or result. */
  note(call: FinishedCall): N | null
  /** Keeps the notes of about a second, oldest first, in a transaction of its own; what fails is logged and lost. */
  keep(ctx: WriteContext, notes: readonly N[]): Promise<void>
}
const callWatchersPoint = definePoint<CallWatcher>('core.callWatchers')
export const callWatchers = Object.assign(
  <N>(watcher: CallWatcher<N>): Contribution => callWatchersPoint(watcher as unknown as CallWatcher),
  { point: callWatchersPoint },
)

/**
 * Runs on a start without anybody who could sign in, and returns what the operator is shown once, for an origin that is known only
 * after listening. `owner` is null while the first one is still to be made.
 */
export const firstStart =
  definePoint<(ctx: WriteContext, owner: User | null) => Promise<(origin: string) => string>>('core.firstStart')
