import { definePoint, type ReadContext } from 'tasuki/plugin'

/** A discussion as input of summarizers: text of users, which is data and never an instruction. */
export interface SummaryDiscussion {
  readonly kind: 'decision' | 'fact' | 'progress'
  /** Markdown. */
  readonly body: string
  readonly author: string
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

export interface SummaryRequest {
  /** Title of the item. */
  readonly title: string
  /** Oldest first; at least one. */
  readonly discussions: readonly SummaryDiscussion[]
  /** Maximum length of the summary in characters; longer text is truncated. */
  readonly maxChars: number
  readonly signal: AbortSignal
}

/** Writes summaries of discussions. */
export interface SummaryProvider {
  readonly name: string
  /** The component that wrote the text, for example the model; shown with the summary. */
  readonly model?: string
  /** Returns plain text or Markdown. After an error the built-in provider writes the summary and says so, until a retry succeeds. */
  summarize(request: SummaryRequest): Promise<string>
}

/** A provider that the config can select by name. */
export interface SummarySource {
  readonly name: string
  /** Creates the provider from the config. @throws HostError if a setting is missing */
  open(ctx: Pick<ReadContext, 'config'>): SummaryProvider
}
export const summaryProviders = definePoint<SummarySource>('summaries.summaryProviders')

/** All extension points, for the plugin's declaration. */
export const points = [summaryProviders]
