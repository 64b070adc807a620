import { defineJob, sql, Type, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import { searchConfig } from './config.ts'
import { embeddedText, itemText, writeDocuments, writeVectors, type ItemText, type Unembedded } from './documents.ts'
import { vectorColumns } from './embedding/columns.ts'
import { embed, embeddedPart, providerOf } from './embedding/provider.ts'
import { createVectorIndex, modelKey, prepareStore, storeOf } from './embedding/store.ts'
import { vectorTables, type EmbeddingProvider, type VectorTable } from './points.ts'

/** Items that one run of the rebuild takes. */
const BATCH = 200

/** Makes items searchable that were written while the plugin was off, in batches: each run enqueues the next. */
export const rebuildJob = defineJob({
  name: 'search.rebuild',
  payload: Type.Object({
    /** What changed before then is indexed; without it anything may not be. */
    since: Type.Optional(Type.String()),
    /** All are indexed again. */
    all: Type.Optional(Type.Boolean()),
    after: Type.Optional(Type.Tuple([Type.String(), Type.String()])),
  }),
  async run(ctx, { since, all, after }) {
    // One that waits since the first start has no time, and stands for all that are asked for until it runs.
    const changed = since === undefined ? sql`` : sql`i.updated_at >= ${since}::timestamptz and`
    const stale = all ? sql`true` : sql`(d.item_id is null or (${changed} d.indexed_at < i.updated_at))`
    const { rows } = await sql<ItemText>`
      select ${itemText} from items.items i
      left join search.documents d on d.owner_id = i.owner_id and d.item_id = i.id
      where ${stale} ${after ? sql`and (i.owner_id, i.id) > (${after[0]}::uuid, ${after[1]}::uuid)` : sql``}
      order by i.owner_id, i.id limit ${BATCH} for no key update of i
    `.execute(ctx.db)
    // Before vectors are there: to make it of thousands would take longer than a statement may.
    if (after === undefined) await makeVectorIndex(ctx)
    await writeDocuments(ctx, rows)
    const last = rows.at(-1)
    if (last && rows.length === BATCH) {
      const next = {
        ...(since !== undefined && { since }),
        ...(all && { all }),
        after: [last.ownerId, last.itemId] as [string, string],
      }
      await ctx.enqueue(rebuildJob, next)
      return
    }
    // Without statistics the planner takes the wrong index, and nothing else may make them for a day.
    await sql`analyze search.documents`.execute(ctx.db)
    await ctx.enqueue(embedJob, {}, { key: embedJob.name })
  },
})

/** Requests of one run, so that no run takes longer than the queue waits for it. */
const REQUESTS = 20

/**
 * Makes missing vectors: after writes where the provider is not local, and of all texts after the provider was changed. Scheduled too,
 * for what is left when the provider was away for longer than the queue tries again.
 */
export const embedJob = defineJob({
  name: 'search.embed',
  schedule: '*/10 * * * *',
  payload: Type.Object({
    /** Only texts that were written; those that have a vector of another model are left to the scheduled run. */
    fresh: Type.Optional(Type.Boolean()),
  }),
  // The provider is asked between statements, and nobody should wait for that.
  transaction: false,
  async run(ctx, { fresh }) {
    const provider = providerOf(ctx)
    if (!provider) return
    await makeVectorIndex(ctx)
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

async function makeVectorIndex(ctx: WriteContext): Promise<void> {
  const provider = providerOf(ctx)
  if (provider && (await storeOf(ctx)) === 'pgvector') await createVectorIndex(ctx.db, provider.dims)
}

/** Queues the making of vectors for what this transaction writes. */
export function embedWritten(ctx: WriteContext): Promise<void> {
  return ctx.enqueue(embedJob, { fresh: true }, { key: `${embedJob.name} true` })
}

/** Makes vectors of one batch of items. @returns whether there was anything to do */
async function embedDocuments(ctx: WriteContext, provider: EmbeddingProvider, onlyNew: boolean): Promise<boolean> {
  const store = await storeOf(ctx)
  const model = modelKey(provider, store)
  const { rows } = await sql<Unembedded>`
    select ${itemText}, d.indexed_at::text as "indexedAt" from search.documents d
    join items.items i on i.owner_id = d.owner_id and i.id = d.item_id
    where ${lacking('d', model, onlyNew)} limit ${ctx.config(searchConfig).batch}
  `.execute(ctx.db)
  if (rows.length === 0) return false
  const texts = rows.map(row => embeddedText(ctx, row))
  const vectors = await embed(provider, texts, { of: 'text', signal: ctx.signal })
  await writeVectors(ctx, rows, vectors, { model, dims: provider.dims, store })
  return true
}

/** Makes vectors of one batch of another plugin's texts. @returns whether there was anything to do */
async function embedRows(
  ctx: WriteContext,
  { table, text }: VectorTable,
  provider: EmbeddingProvider,
  onlyNew: boolean,
): Promise<boolean> {
  const model = modelKey(provider, 'exact')
  const { rows } = await sql<{ owner_id: string; id: string; text: string }>`
    select t.owner_id, t.id, ${text} as text from ${sql.table(table)} t
    where ${text} is not null and ${lacking('t', model, onlyNew)} limit ${ctx.config(searchConfig).batch}
  `.execute(ctx.db)
  if (rows.length === 0) return false
  const parts = rows.map(row => embeddedPart(ctx, row.text))
  const vectors = await embed(provider, parts, { of: 'text', signal: ctx.signal })
  const made = rows.map(({ owner_id, id }, n) => ({ owner_id, id, ...vectorColumns(vectors[n], 'exact') }))
  await sql`
    update ${sql.table(table)} t set model = ${model}, code = v.code::bit varying, vector = v.vector::real[]
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as v (owner_id uuid, id uuid, code text, vector text)
    where t.owner_id = v.owner_id and t.id = v.id
  `.execute(ctx.db)
  return true
}

/** Rows without a vector of the model; with `onlyNew` those without any. */
function lacking(alias: string, model: string, onlyNew: boolean): RawBuilder<boolean> {
  const column = sql.ref(`${alias}.model`)
  return onlyNew ? sql`${column} is null` : sql`${column} is distinct from ${model}`
}

/** Begins what has to be done once the plugin is on. */
export async function catchUp(ctx: WriteContext, since: Date | null): Promise<void> {
  await ctx.enqueue(rebuildJob, since ? { since: since.toISOString() } : {}, { key: rebuildJob.name })
}

/** Indexes everything again, for example after pgvector was installed. */
export async function rebuildAll(ctx: WriteContext): Promise<string> {
  const store = await prepareStore(ctx)
  await ctx.enqueue(rebuildJob, { all: true }, { key: rebuildJob.name })
  return store
}
