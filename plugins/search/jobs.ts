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
  writeVectors,
} from './document.repository.ts'
import { vectorColumns } from './embedding/columns.ts'
import { dimsOf, embed } from './embedding/embed.ts'
import { embeddedPart, providerOf } from './embedding/provider.ts'
import { createVectorIndex, modelKey, prepareStore, storeOf } from './embedding/vector-store.repository.ts'
import { vectorTables, type EmbeddingProvider, type VectorTable } from './points.ts'

/** Items that one run of the rebuild takes. */
const BATCH = 200

/** Indexes items that changed while the plugin was off. Each run handles one batch and enqueues the next. */
export const rebuildJob = defineJob({
  name: 'search.rebuild',
  payload: Type.Object({
    /** Items that changed before are indexed. Left out, nothing is assumed to be. */
    since: Type.Optional(Type.String()),
    /** Index all items again. */
    all: Type.Optional(Type.Boolean()),
    after: Type.Optional(Type.Tuple([Type.String(), Type.String()])),
  }),
  async run(ctx, { after, ...range }) {
    const items = await lockOutdated(ctx, { ...range, ...(after && { after }) }, BATCH)
    // Before there are vectors: building the index over thousands exceeds the time limit of a statement.
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

/** Indexes again what an earlier analyzer indexed. */
export const upgradeJob = defineJob({
  name: 'search.upgrade',
  schedule: '*/10 * * * *',
  payload: Type.Object({}),
  async run(ctx) {
    if (await hasFormerDocuments(ctx)) await ctx.enqueue(rebuildJob, {}, { key: rebuildJob.name })
  },
})

/** Words that one run looks for in the items of their owners. */
const WORDS = 2000

/** Drops words that are in no item any more from the vocabularies. */
export const pruneWordsJob = defineJob({
  name: 'search.prune_words',
  schedule: '40 3 * * *',
  payload: Type.Object({ after: Type.Optional(Type.Tuple([Type.String(), Type.String()])) }),
  async run(ctx, { after }) {
    const last = await deleteUnusedWords(ctx, after, WORDS)
    if (last) await ctx.enqueue(pruneWordsJob, { after: last })
  },
})

/** Documents whose vectors one run deletes. */
const VECTORS = 5000

/** Deletes vectors that nothing reads any more; a day after an upgrade at the latest, when no earlier version runs beside it. */
export const pruneVectorsJob = defineJob({
  name: 'search.prune_vectors',
  schedule: '50 3 * * *',
  payload: Type.Object({}),
  async run(ctx) {
    if (await deleteFormerVectors(ctx, VECTORS)) await ctx.enqueue(pruneVectorsJob, {})
  },
})

/** Requests of one run, so that no run takes longer than the queue waits for it. */
const REQUESTS = 20

/**
 * Makes missing vectors: after writes if the provider is not local, and of all texts after a change of the provider. It is also
 * scheduled, for texts that remain when the provider was down for longer than the queue retries.
 */
export const embedJob = defineJob({
  name: 'search.embed',
  schedule: '*/10 * * * *',
  payload: Type.Object({
    /** Only texts that were written; those that have a vector of another model are left to the scheduled run. */
    fresh: Type.Optional(Type.Boolean()),
  }),
  // The provider is called between statements, and no transaction should wait for it.
  transaction: false,
  async run(ctx, { fresh }) {
    const provider = providerOf(ctx)
    if (!provider) return
    // Outside of a transaction, so that nothing waits for a server that is slow to say.
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

/** Queues vectors for the texts that this transaction writes. */
export function enqueueEmbedding(ctx: WriteContext): Promise<void> {
  return ctx.enqueue(embedJob, { fresh: true }, { key: `${embedJob.name} true` })
}

/** Makes vectors of one batch of items. @returns whether there was anything to do */
async function embedDocuments(ctx: WriteContext, provider: EmbeddingProvider, onlyNew: boolean): Promise<boolean> {
  const store = await storeOf(ctx)
  const model = modelKey(provider, store)
  const { batch: limit } = ctx.config(searchConfig)
  const rows = await readUnembedded(ctx, { model, onlyNew, limit })
  if (rows.length === 0) return false
  const texts = rows.map(row => embeddedText(ctx, row))
  const vectors = await embed(provider, texts, { of: 'text', signal: ctx.signal })
  await writeVectors(ctx, rows, vectors, { model, dims: await dimsOf(provider, ctx.signal), store })
  return true
}

/** Makes vectors of one batch of another plugin's texts. @returns whether there was anything to do */
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

/** Queues the indexing of items that changed while the plugin was off. */
export async function catchUp(ctx: WriteContext, since: Date | null): Promise<void> {
  await ctx.enqueue(rebuildJob, since ? { since: since.toISOString() } : {}, { key: rebuildJob.name })
}

/** Indexes everything again, for example after pgvector was installed. */
export async function rebuildAll(ctx: WriteContext): Promise<string> {
  const store = await prepareStore(ctx)
  await ctx.enqueue(rebuildJob, { all: true }, { key: rebuildJob.name })
  return store
}
