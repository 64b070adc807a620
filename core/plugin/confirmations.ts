import type { ReadContext, WriteContext } from './context.ts'

/** A call whose user is asked on a page whether it may run. */
export interface Confirmation {
  readonly id: string
  readonly tool: string
  /** What the call would do: a sentence in English without a full stop. */
  readonly effect: string
  /** Name of the client program, as it introduced itself; null when it gave none. */
  readonly client: string | null
  /** The name that the user gave the credential; null when it has none. */
  readonly credential: string | null
  /** ISO 8601 UTC. */
  readonly createdAt: string
  /** ISO 8601 UTC; until then it can be decided. */
  readonly expiresAt: string
  /** `over`: nobody decided in time, or the client gave up. */
  readonly status: 'open' | 'agreed' | 'declined' | 'over'
}

/** Confirmations as the plugin sees them that has the page for them (`confirmationPath` of `signIn`). */
export interface Confirmations {
  /** One of the caller's own; null when there is none. It is kept for an hour after it has expired. */
  find(ctx: ReadContext, id: string): Promise<Confirmation | null>
  /** Decides one of the caller's own; does nothing where it was decided or is over. @throws ToolError not_found */
  decide(ctx: WriteContext, id: string, agreed: boolean): Promise<void>
}
