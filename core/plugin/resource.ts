import type { ReadContext } from './context.ts'

export interface ResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  /** Base64. */
  readonly blob?: string
}

/** The decoded values of a template's `{name}` variables. */
export type AddressParams = Readonly<Record<string, string>>

/** A URI of a template, as listed by `resources/list`. */
export interface ResourceEntry {
  readonly uri: string
  readonly name: string
  readonly title?: string
}

/** State of a watched record. */
export interface WatchedRecord {
  /** Keys that writes pass to `ctx.recordsChanged` when the record may have changed. */
  readonly keys: readonly string[]
  /** Changes whenever the record changes. */
  readonly version: string
}

/** A resource of the protocol: one URI, or a family of URIs (`uriTemplate` with `{name}` variables). */
export interface Resource {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly mimeType?: string
  readonly uri?: string
  /** A variable is completed by the `argumentValues` of its name. */
  readonly uriTemplate?: string
  /** Tools that read the same data; connections that lack one of them do not get the resource. */
  readonly tools?: readonly string[]
  /** Returns the contents, or null if the caller has nothing at that URI. A `ToolError` means the same and explains why. */
  read(ctx: ReadContext, uri: string, params: AddressParams): Promise<readonly ResourceContents[] | null>
  /** Lists URIs of the template that the caller is likely to need, best first, at most 50, with one statement. */
  list?(ctx: ReadContext): Promise<readonly ResourceEntry[]>
  /**
   * Returns the records at the given URIs, in the same order, null if the caller cannot read one, with one statement. Required for
   * subscriptions of clients.
   */
  watch?(ctx: ReadContext, addresses: readonly AddressParams[]): Promise<readonly (WatchedRecord | null)[]>
}

/** A prompt of the protocol. */
export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** An argument without values from `complete` is completed by the `argumentValues` of its name. */
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[]
  /** Tools that the text requires; connections that lack one of them do not get the prompt. */
  readonly tools?: readonly string[]
  /** @param has tells whether the connection has a tool, for texts that mention more tools than `tools` */
  get(
    ctx: ReadContext,
    args: Readonly<Record<string, string>>,
    has: (tool: string) => boolean,
  ): Promise<readonly PromptMessage[]>
  /** Completes one argument. */
  complete?(ctx: ReadContext, argument: string, value: string): Promise<readonly string[]>
}
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Readonly<Record<string, unknown>>
}
