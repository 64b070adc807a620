import { defineJob, Type, type WriteContext } from 'tasuki/plugin'
import { summariesConfig } from './config.ts'
import type { SummaryProvider, SummaryRequest } from './points.ts'
import { providerOf } from './provider/choose.ts'
import { extractiveProvider } from './provider/extractive.ts'
import { truncate } from './provider/sentences.ts'
import { deleteSummary, readSource, readStale, upsertSummary, type ItemId } from './summary.repository.ts'

/** Maximum number of discussions that a summary covers. */
const MAX_DISCUSSIONS = 200

type Generated = Parameters<typeof upsertSummary>[2]

/** Regenerates the summary of an item. The item itself is not changed. */
export const generateJob = defineJob({
  name: 'summaries.generate',
  payload: Type.Object({ owner_id: Type.String(), item_id: Type.String() }),
  // No transaction stays open while the provider is called.
  transaction: false,
  async run(ctx, { owner_id: ownerId, item_id: itemId }) {
    const item = { ownerId, itemId }
    const source = await readSource(ctx, item, MAX_DISCUSSIONS)
    if (!source?.enabled) return
    const { discussions, discussedAt, count, title } = source
    if (!discussions || discussedAt === null) {
      await deleteSummary(ctx, item)
      return
    }
    const store = (generated: Pick<Generated, 'summary' | 'provider' | 'model' | 'instead_of'>) =>
      upsertSummary(ctx, item, { ...generated, discussions: count, discussed_at: discussedAt })
    const provider = providerOf(ctx)
    const request = { title, discussions, maxChars: ctx.config(summariesConfig).max_chars, signal: ctx.signal }
    const outcome = await attempt(provider, request)
    if (typeof outcome === 'string') {
      await store({ summary: outcome, provider: provider.name, model: provider.model ?? null, instead_of: null })
      return
    }
    const summary = clean(await extractiveProvider.summarize(request), request.maxChars)
    await store({ summary, provider: extractiveProvider.name, model: null, instead_of: provider.name })
    // The queue retries; until a retry succeeds, the summary names the provider that failed.
    throw outcome
  },
})

/** Returns the summary, or the error. */
async function attempt(provider: SummaryProvider, request: SummaryRequest): Promise<string | Error> {
  try {
    const text = clean(await provider.summarize(request), request.maxChars)
    return text === '' ? new Error(`${provider.name} gave an empty summary`) : text
  } catch (error) {
    return error as Error
  }
}

/** Removes characters that the database rejects, and truncates the text. */
function clean(text: string, most: number): string {
  return truncate(text.replaceAll('\0', '').toWellFormed().trim(), most)
}

/** Enqueues a summary. Without a delay it runs immediately, even if a delayed one is queued. */
export function summarizeSoon(ctx: WriteContext, { ownerId, itemId }: ItemId, delaySeconds: number): Promise<void> {
  const payload = { owner_id: ownerId, item_id: itemId }
  const key = `${delaySeconds > 0 ? 'changed' : 'now'} ${ownerId} ${itemId}`
  const at = new Date(ctx.now.getTime() + delaySeconds * 1000)
  return ctx.enqueue(generateJob, payload, delaySeconds > 0 ? { key, at } : { key })
}

/** Items per batch. */
const BATCH = 200

/**
 * Enqueues summaries of discussions from times when the plugin or its feature was off, and of those for which the built-in provider stood
 * in because the configured one failed beyond the queue's retries. Each run handles one batch and enqueues the next.
 */
export const catchUpJob = defineJob({
  name: 'summaries.catch_up',
  schedule: '43 17 * * *',
  payload: Type.Object({ after: Type.Optional(Type.Tuple([Type.String(), Type.String()])) }),
  async run(ctx, { after }) {
    const items = await readStale(ctx, after, BATCH)
    for (const item of items) if (item.stale) await summarizeSoon(ctx, item, 0)
    const last = items.at(-1)
    if (last && items.length === BATCH) await ctx.enqueue(catchUpJob, { after: [last.ownerId, last.itemId] })
  },
})
