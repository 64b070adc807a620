import type { ReadContext, WriteContext } from './context.ts'

/** A call that its user must confirm on a page. */
export interface Confirmation {
  readonly id: string
  readonly tool: string
  /** Effect of the call: a sentence in English without a full stop. */
  readonly effect: string
  /** Name of the client program, from the client itself; null if it sent none. */
  readonly client: string | null
  /** Name that the user gave the credential; null if it has none. */
  readonly credential: string | null
  /** ISO 8601 UTC. */
  readonly createdAt: string
  /** ISO 8601 UTC; end of the period for a decision. */
  readonly expiresAt: string
  /** `over`: nobody decided in time, or the client cancelled. */
  readonly status: 'open' | 'agreed' | 'declined' | 'over'
}

/** Confirmations for the plugin that serves their page (`confirmationPath` of `signIn`). */
export interface Confirmations {
  /** Finds a confirmation of the caller; null if there is none. It can be found for an hour after its expiry. */
  find(ctx: ReadContext, id: string): Promise<Confirmation | null>
  /** Decides a confirmation of the caller; does nothing if it is already decided or over. @throws ToolError not_found */
  decide(ctx: WriteContext, id: string, agreed: boolean): Promise<void>
}
