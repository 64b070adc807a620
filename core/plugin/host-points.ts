import type { ReadContext, WriteContext } from './context.ts'
import type { ToolError } from './errors.ts'
import { definePoint } from './point.ts'

export interface User {
  readonly id: string
  readonly email: string
  readonly name: string
  /** IANA name; due dates of the user are in it. */
  readonly timeZone: string
}

/** Runs in the transaction that creates users: give them what the plugin expects every user to have. */
export const userCreated = definePoint<(ctx: WriteContext, users: readonly User[]) => Promise<void>>('core.userCreated')

/** Decides whether the feature switches that a tool names in `gates` are on for the caller; an error refuses the call. */
export const gateKeepers =
  definePoint<
    (ctx: ReadContext, gates: readonly string[], input: Readonly<Record<string, unknown>>) => ToolError | null
  >('core.gateKeepers')

/** A paragraph of the server's `instructions`; keep it to rules that several tools share. */
export const instructions = definePoint<{ readonly rank: number; readonly text: string }>('core.instructions')

/**
 * Runs on a start without anybody who could sign in, and returns what the operator is shown once, for an origin that is known only
 * after listening. `owner` is null while the first one is still to be made.
 */
export const firstStart =
  definePoint<(ctx: WriteContext, owner: User | null) => Promise<(origin: string) => string>>('core.firstStart')
