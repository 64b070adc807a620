import type { ReadContext } from './context.ts'

export interface ResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  /** Base64. */
  readonly blob?: string
}

/** The values of a template's `{name}` parts, decoded. */
export type AddressParams = Readonly<Record<string, string>>

/** One address of a template, as `resources/list` shows it. */
export interface ResourceEntry {
  readonly uri: string
  readonly name: string
  readonly title?: string
}

/** What tells whether the record at an address has changed. */
export interface WatchedRecord {
  /** What writes name by `ctx.recordsChanged` when it may have changed. */
  readonly keys: readonly string[]
  /** Differs from before when it has changed. */
  readonly version: string
}

/** A resource of the protocol: one address, or a family of them (`uriTemplate` with `{name}` parts). */
export interface Resource {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly mimeType?: string
  readonly uri?: string
  /** A part is completed by the `argumentValues` of its name. */
  readonly uriTemplate?: string
  /** Tools that read the same: connections without one of them do not have the resource. */
  readonly tools?: readonly string[]
  /** Returns null when there is nothing at that address for this caller. A `ToolError` means the same and tells why. */
  read(ctx: ReadContext, uri: string, params: AddressParams): Promise<readonly ResourceContents[] | null>
  /** Addresses of the template that the caller is likely to want, best first, at most 50; one statement. */
  list?(ctx: ReadContext): Promise<readonly ResourceEntry[]>
  /** The records at some addresses of the template, in their order, null where the caller finds none; one statement. Clients may then subscribe. */
  watch?(ctx: ReadContext, addresses: readonly AddressParams[]): Promise<readonly (WatchedRecord | null)[]>
}

/** A prompt of the protocol. */
export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** An argument that `complete` does not know is completed by the `argumentValues` of its name. */
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[]
  /** Tools that its text cannot do without: connections without one of them are not offered it. */
  readonly tools?: readonly string[]
  /** @param has whether the connection has a tool, for texts that name more tools than `tools` */
  get(
    ctx: ReadContext,
    args: Readonly<Record<string, string>>,
    has: (tool: string) => boolean,
  ): Promise<readonly PromptMessage[]>
  /** Suggests values for one argument as the user types. */
  complete?(ctx: ReadContext, argument: string, value: string): Promise<readonly string[]>
}
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Readonly<Record<string, unknown>>
}
