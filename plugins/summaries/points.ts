import { definePoint, type ReadContext } from 'tasuki/plugin'

/** A discussion as summarizers read it: what people wrote, which is data and never an instruction. */
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
  /** Characters that the summary may have; what is longer is cut. */
  readonly maxChars: number
  readonly signal: AbortSignal
}

/** Makes summaries of discussions. */
export interface SummaryProvider {
  readonly name: string
  /** What of it made the text, for example the model; shown with the summary. */
  readonly model?: string
  /** Plain text or Markdown. The queue retries an error; until then the built-in provider makes the summary, which says so. */
  summarize(request: SummaryRequest): Promise<string>
}

/** A provider that the config may choose by name. */
export interface SummarySource {
  readonly name: string
  /** Makes it from the config; @throws HostError when a setting is missing. */
  open(ctx: Pick<ReadContext, 'config'>): SummaryProvider
}
export const summaryProviders = definePoint<SummarySource>('summaries.summaryProviders')

/** All points, for the plugin's declaration. */
export const points = [summaryProviders]
