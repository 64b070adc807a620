import { defineJob, Type, type WriteContext } from 'tasuki/plugin'
import { searchConfig } from './config.ts'
import {
  analyzeDocuments,
  deleteFormerVectors,
  deleteUnusedWords,
  embeddedText,
  hasFormerDocuments,
  lockOutdated,
  readUnembedded,
  readUnembeddedRows,
  updateVectors,
  writeDocuments,
  updateDocumentVectors,
} from './document.repository.ts'
import { vectorColumns } from './embedding/columns.ts'
import { dimsOf, embed } from './embedding/embed.ts'
import { embeddedPart, providerOf } from './embedding/provider.ts'
import { createVectorIndex, modelKey, prepareStore, storeOf } from './embedding/vector-store.repository.ts'
import { vectorTables, type EmbeddingProvider, type VectorTable } from './points.ts'

/** Items per run of the rebuild. */
const BATCH = 200

/** Indexes items that changed while the plugin was off. Each run handles one batch and enqueues the next. */
export const rebuildJob = defineJob({
  name: 'search.rebuild',
  payload: Type.Object({
    /** Items last changed before this time are already indexed; without it, none are. */
    since: Type.Optional(Type.String()),
    /** Reindexes all items. */
    all: Type.Optional(Type.Boolean()),
    after: Type.Optional(Type.Tuple([Type.String(), Type.String()])),
  }),
  async run(ctx, { after, ...range }) {
    const items = await lockOutdated(ctx, { ...range, ...(after && { after }) }, BATCH)
    // Before there are vectors: indexing thousands of them exceeds the statement timeout.
    if (after === undefined) await ensureVectorIndex(ctx)
    await writeDocuments(ctx, items)
    const last = items.at(-1)
    if (last && items.length === BATCH) {
      await ctx.enqueue(rebuildJob, { ...range, after: [last.ownerId, last.itemId] })
      return
    }
    await analyzeDocuments(ctx)
    await ctx.enqueue(embedJob, {}, { key: embedJob.name })
  },
})

/** Reindexes documents of an earlier analyzer. */
export const upgradeJob = defineJob({
  name: 'search.upgrade',
  schedule: '*/10 * * * *',
  async run(ctx) {
    if (await hasFormerDocuments(ctx)) await ctx.enqueue(rebuildJob, {}, { key: rebuildJob.name })
  },
})

/** Words per run. */
const WORDS = 2000

/** Deletes words from the vocabularies that no item contains. */
export const pruneWordsJob = defineJob({
  name: 'search.prune_words',
  schedule: '40 3 * * *',
  payload: Type.Object({ after: Type.Optional(Type.Tuple([Type.String(), Type.String()])) }),
  async run(ctx, { after }) {
    const last = await deleteUnusedWords(ctx, after, WORDS)
    if (last) await ctx.enqueue(pruneWordsJob, { after: last })
  },
})

/** Documents per run. */
const VECTORS = 5000

/** Deletes vectors that nothing reads, at most a day after an upgrade, when no earlier version is still running. */
export const pruneVectorsJob = defineJob({
  name: 'search.prune_vectors',
  schedule: '50 3 * * *',
  async run(ctx) {
    if (await deleteFormerVectors(ctx, VECTORS)) await ctx.enqueue(pruneVectorsJob, {})
  },
})

/** Maximum number of requests per run, which keeps runs below the queue's timeout. */
const REQUESTS = 20

/**
 * Computes missing vectors: after writes if the provider is not local, and for all texts after a change of the provider. Also scheduled,
 * for texts left after the provider was down for longer than the queue retries.
 */
export const embedJob = defineJob({
  name: 'search.embed',
  schedule: '*/10 * * * *',
  payload: Type.Object({
    /** Only newly written texts; those with a vector of another model are left to the scheduled run. */
    fresh: Type.Optional(Type.Boolean()),
  }),
  // No transaction stays open while the provider is called.
  transaction: false,
  async run(ctx, { fresh }) {
    const provider = providerOf(ctx)
    if (!provider) return
    // Outside a transaction, because the server may be slow.
    await dimsOf(provider, ctx.signal)
    await ensureVectorIndex(ctx)
    const onlyNew = fresh === true
    const steps = [
      () => embedDocuments(ctx, provider, onlyNew),
      ...ctx.all(vectorTables).map(table => () => embedRows(ctx, table, provider, onlyNew)),
    ]
    let requests = 0
    for (const step of steps) {
      while (await step()) {
        if (++requests < REQUESTS) continue
        await ctx.enqueue(embedJob, { ...(fresh && { fresh }) }, { key: `${embedJob.name} ${onlyNew}` })
        return
      }
    }
  },
})

async function ensureVectorIndex(ctx: WriteContext): Promise<void> {
  const dims = providerOf(ctx)?.dims ?? null
  if (dims !== null && (await storeOf(ctx)) === 'pgvector') await createVectorIndex(ctx.db, dims)
}

/** Enqueues vectors for the texts that this transaction writes. */
export function enqueueEmbedding(ctx: WriteContext): Promise<void> {
  return ctx.enqueue(embedJob, { fresh: true }, { key: `${embedJob.name} true` })
}

/** Embeds one batch of items. @returns whether there was anything to do */
async function embedDocuments(ctx: WriteContext, provider: EmbeddingProvider, onlyNew: boolean): Promise<boolean> {
  const store = await storeOf(ctx)
  const model = modelKey(provider, store)
  const { batch: limit } = ctx.config(searchConfig)
  const rows = await readUnembedded(ctx, { model, onlyNew, limit })
  if (rows.length === 0) return false
  const texts = rows.map(row => embeddedText(ctx, row))
  const vectors = await embed(provider, texts, { of: 'text', signal: ctx.signal })
  await updateDocumentVectors(ctx, rows, vectors, { model, dims: await dimsOf(provider, ctx.signal), store })
  return true
}

/** Embeds one batch of another plugin's texts. @returns whether there was anything to do */
async function embedRows(
  ctx: WriteContext,
  table: VectorTable,
  provider: EmbeddingProvider,
  onlyNew: boolean,
): Promise<boolean> {
  const model = modelKey(provider, 'exact')
  const { batch: limit } = ctx.config(searchConfig)
  const rows = await readUnembeddedRows(ctx, table, { model, onlyNew, limit })
  if (rows.length === 0) return false
  const parts = rows.map(row => embeddedPart(ctx, row.text))
  const vectors = await embed(provider, parts, { of: 'text', signal: ctx.signal })
  const embedded = rows.map(({ owner_id, id }, n) => ({ owner_id, id, ...vectorColumns(vectors[n], 'exact') }))
  await updateVectors(ctx, table.table, model, embedded)
  return true
}

/** Enqueues the indexing of items that changed while the plugin was off. */
export async function catchUp(ctx: WriteContext, since: Date | null): Promise<void> {
  await ctx.enqueue(rebuildJob, since ? { since: since.toISOString() } : {}, { key: rebuildJob.name })
}

/** Reindexes everything, for example after pgvector was installed. */
export async function rebuildAll(ctx: WriteContext): Promise<string> {
  const store = await prepareStore(ctx)
  await ctx.enqueue(rebuildJob, { all: true }, { key: rebuildJob.name })
  return store
}
