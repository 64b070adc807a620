import type { ReadContext } from './context.ts'

export interface ResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  /** Base64. */
  readonly blob?: string
}

/** A resource of the protocol: one address, or a family of them (`uriTemplate` with `{name}` parts). */
export interface Resource {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly mimeType?: string
  readonly uri?: string
  readonly uriTemplate?: string
  /** Returns null when there is nothing at that address for this caller. */
  read(
    ctx: ReadContext,
    uri: string,
    params: Readonly<Record<string, string>>,
  ): Promise<readonly ResourceContents[] | null>
}

/** A prompt of the protocol. */
export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[]
  get(ctx: ReadContext, args: Readonly<Record<string, string>>): Promise<readonly PromptMessage[]>
  /** Suggests values for one argument as the user types. */
  complete?(ctx: ReadContext, argument: string, value: string): Promise<readonly string[]>
}
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Readonly<Record<string, unknown>>
}
