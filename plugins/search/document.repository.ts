import { compare, fixedPlan, isAfter, isOneOf, noSql, recordset, sql } from 'tasuki/plugin'
import type { Condition, Expression, ReadContext, WriteContext } from 'tasuki/plugin'
import { vectorColumns, type VectorColumns } from './embedding/columns.ts'
import { dimsOf, embed } from './embedding/embed.ts'
import { embeddedPart, providerOf } from './embedding/provider.ts'
import { modelKey, storeOf, type VectorStore } from './embedding/vector-store.repository.ts'
import { indexItem } from './pre-index.ts'
import { vectorTables, type VectorTable } from './points.ts'
import { ANALYZER } from './text/analyzer.ts'

/** The texts of an item to index. */
export interface ItemText {
  readonly ownerId: string
  readonly itemId: string
  readonly projectId: string
  readonly title: string
  readonly detail: string
}

const itemText = sql.raw<ItemText>(
  'i.owner_id as "ownerId", i.id as "itemId", i.project_id as "projectId", i.title, i.detail',
)

/** Maximum number of items per write that get their vectors immediately; with more the job computes them, so that no import waits. */
const VECTORS_MOST = 100

/**
 * Writes the documents of items in one statement, with vectors if the provider is local and the items are few.
 * @returns whether the job has to compute the vectors
 */
export async function writeDocuments(ctx: WriteContext, items: readonly ItemText[]): Promise<boolean> {
  if (items.length === 0) return false
  const provider = providerOf(ctx)
  const local = provider?.local === true && items.length <= VECTORS_MOST ? provider : null
  const store = local ? await storeOf(ctx) : 'exact'
  const vectors = local
    ? await embed(
        local,
        items.map(item => embeddedText(ctx, item)),
        { of: 'text', signal: ctx.signal },
      )
    : []
  const words = new Map<string, Map<string, string>>()
  const records: GivenRow[] = []
  for (const [n, { title, detail, ...item }] of items.entries()) {
    const vocabulary = words.get(item.ownerId) ?? new Map<string, string>()
    words.set(item.ownerId, vocabulary)
    const { words: known, ...index } = await indexItem({ title, detail })
    for (const [word, stem] of known) vocabulary.set(word, stem)
    records.push({ ...item, ...index, ...vectorColumns(vectors[n], store) })
  }
  const model = local && modelKey(local, store)
  const documents = sql`
    insert into search.documents (owner_id, item_id, project_id, tsv, length, analyzer, code, vector, model, indexed_at)
    select owner_id, item_id, project_id, tsv::tsvector, length, ${sql.lit(ANALYZER)}, code::bit varying, vector::real[], ${model}, ${ctx.now} from v
    on conflict (owner_id, item_id) do update set project_id = excluded.project_id, tsv = excluded.tsv, length = excluded.length,
      analyzer = excluded.analyzer, code = excluded.code, vector = excluded.vector, model = excluded.model, indexed_at = excluded.indexed_at`
  const rest =
    local && store === 'pgvector'
      ? sql`, d as (${documents}) ${replaceVectors(records, model!, await dimsOf(local, ctx.signal))}`
      : documents
  await sql`${fixedPlan} with ${givenRows(records)}, ${newWords(words)} ${rest}`.execute(ctx.db)
  return provider !== null && !local
}

/** Returns the part of an item's text to embed. */
export function embeddedText(ctx: Pick<WriteContext, 'config'>, { title, detail }: ItemText): string {
  return embeddedPart(ctx, `${title}\n${detail}`)
}

/** A document read for embedding. */
export interface Unembedded extends ItemText {
  readonly indexedAt: string
}

/** Writes vectors of documents that are unchanged since they were read. */
export async function updateDocumentVectors(
  ctx: WriteContext,
  documents: readonly Unembedded[],
  vectors: readonly (readonly number[] | null)[],
  { model, dims, store }: { readonly model: string; readonly dims: number; readonly store: VectorStore },
): Promise<void> {
  const records = documents.map(({ title: _title, detail: _detail, ...document }, n) => ({
    ...document,
    ...vectorColumns(vectors[n], store),
  }))
  const marked = sql`
    update search.documents d set model = ${model}, code = v.code::bit varying, vector = v.vector::real[] from v
    where d.owner_id = v.owner_id and d.item_id = v.item_id and d.indexed_at = v.indexed_at::timestamptz`
  const isCurrent = sql<boolean>`(owner_id, item_id) in (select owner_id, item_id from d)`
  const rest =
    store === 'exact'
      ? marked
      : sql`, d as (${marked} returning d.owner_id, d.item_id) ${replaceVectors(records, model, dims, isCurrent)}`
  await sql`with ${givenRows(records)} ${rest}`.execute(ctx.db)
}

interface GivenRow extends VectorColumns, Pick<ItemText, 'ownerId' | 'itemId' | 'projectId'> {
  readonly tsv?: string
  readonly length?: number
  readonly indexedAt?: string
}

/** The rows as the query `v`; what a row lacks is null. */
function givenRows(rows: readonly GivenRow[]): Expression<unknown> {
  const given = recordset('g', { ...GIVEN, ...GIVEN_TEXTS }, rows as readonly Required<GivenRow>[])
  return sql`v (owner_id, item_id, project_id, length, tsv, indexed_at, code, vector, embedding) as (select * from ${given})`
}

const GIVEN = { ownerId: 'uuid', itemId: 'uuid', projectId: 'uuid', length: 'int' } as const
const GIVEN_TEXTS = { tsv: 'text', indexedAt: 'text', code: 'text', vector: 'text', embedding: 'text' } as const

/** Adds the words of texts to the vocabularies of their owners, in a fixed order, so that concurrent writers do not deadlock. */
function newWords(vocabularies: ReadonlyMap<string, ReadonlyMap<string, string>>): Expression<unknown> {
  const rows = Array.from(vocabularies, ([owner_id, words]) => ({ owner_id, words: Object.fromEntries(words) }))
  return sql`words as (
    insert into search.words (owner_id, word, stem)
    select g.owner_id, w.key, w.value from ${recordset('g', { owner_id: 'uuid', words: 'jsonb' }, rows)} cross join jsonb_each_text(g.words) w
    where not exists (select from search.words k where k.owner_id = g.owner_id and k.word = w.key)
    order by 1, 2 on conflict do nothing)`
}

/** Writes the vectors of `v` into pgvector's table, and deletes those of texts without one. Continues a `with` clause. */
function replaceVectors(
  records: readonly GivenRow[],
  model: string,
  dims: number,
  isCurrent: Condition = sql.lit(true),
): Expression<unknown> {
  const lost = sql`, lost as (
    delete from search.vectors where (owner_id, item_id) in (select owner_id, item_id from v where embedding is null and ${isCurrent}))`
  return sql`${records.some(({ embedding }) => embedding === undefined) ? lost : noSql}
    insert into search.vectors (owner_id, item_id, project_id, model, dims, embedding)
    select owner_id, item_id, project_id, ${model}, ${dims}::int, embedding::vector from v where embedding is not null and ${isCurrent}
    on conflict (owner_id, item_id) do update
    set project_id = excluded.project_id, model = excluded.model, dims = excluded.dims, embedding = excluded.embedding`
}

/** Reads the texts of items. */
export async function readTexts(
  ctx: ReadContext,
  items: readonly { readonly ownerId: string; readonly itemId: string }[],
): Promise<readonly ItemText[]> {
  const keys = items.map(({ ownerId, itemId }) => [ownerId, itemId])
  const { rows } = await sql<ItemText>`
    select ${itemText} from items.items i where ${isOneOf(['i.owner_id', 'i.id'], keys)}
  `.execute(ctx.db)
  return rows
}

export interface RebuildRange {
  /** Documents of items last changed before this time are up to date. */
  readonly since?: string
  /** Treats all documents as out of date. */
  readonly all?: boolean
  /** Key of the last item of the previous batch. */
  readonly after?: readonly [string, string]
}

/** Reads and locks items with outdated documents, in key order. */
export async function lockOutdated(
  ctx: WriteContext,
  { since, all, after }: RebuildRange,
  limit: number,
): Promise<readonly ItemText[]> {
  const changed = since === undefined ? sql.lit(true) : compare('i.updated_at', '>=', since)
  const stale = all
    ? sql.lit(true)
    : sql`(d.item_id is null or d.analyzer < ${sql.lit(ANALYZER)} or (${changed} and d.indexed_at < i.updated_at))`
  const { rows } = await sql<ItemText>`
    select ${itemText} from items.items i
    left join search.documents d on d.owner_id = i.owner_id and d.item_id = i.id
    where ${stale} and ${isAfter(['i.owner_id', 'i.id'], after)}
    order by i.owner_id, i.id limit ${limit} for no key update of i
  `.execute(ctx.db)
  return rows
}

/** Returns whether documents of an earlier analyzer exist. */
export async function hasFormerDocuments(ctx: ReadContext): Promise<boolean> {
  const former = ctx.db.selectFrom('search.documents').select('item_id').where('analyzer', '<', ANALYZER).limit(1)
  return (await former.executeTakeFirst()) !== undefined
}

/** Deletes unused words from the next batch. @returns the last word checked; null at the end */
export async function deleteUnusedWords(
  ctx: WriteContext,
  after: readonly [owner: string, word: string] | undefined,
  limit: number,
): Promise<[owner: string, word: string] | null> {
  const { rows } = await sql<{ owner_id: string; word: string }>`
    with looked as materialized (
      select k.owner_id, k.word, row_number() over (order by k.owner_id, k.word) as place from search.words k
      where ${isAfter(['k.owner_id', 'k.word'], after)} order by k.owner_id, k.word limit ${limit}),
    gone as (
      delete from search.words w using looked l where w.owner_id = l.owner_id and w.word = l.word and not exists (
        select from search.documents d where d.owner_id = l.owner_id and d.tsv @@ quote_literal(l.word)::tsquery))
    select owner_id, word from looked where place = ${limit}
  `.execute(ctx.db)
  const last = rows[0]
  return last ? [last.owner_id, last.word] : null
}

/** Deletes vectors of the former built-in provider. @returns whether there may be more */
export async function deleteFormerVectors(ctx: WriteContext, limit: number): Promise<boolean> {
  if ((await storeOf(ctx)) === 'pgvector')
    await ctx.db.deleteFrom('search.vectors').where('model', 'like', FORMER_PROVIDER).execute()
  let most = 0n
  for (const table of ['search.documents', ...ctx.all(vectorTables).map(each => each.table)]) {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set code = null, vector = null, model = null where ctid in (
        select ctid from ${sql.table(table)} where model like ${FORMER_PROVIDER} limit ${limit})
    `.execute(ctx.db)
    if (numAffectedRows > most) most = numAffectedRows
  }
  return most >= BigInt(limit)
}

/** Its vectors were hashes of words: close only to equal words, and by chance to unrelated ones. */
const FORMER_PROVIDER = 'built-in built-in/%'

/** Updates the statistics: without them the planner chooses the wrong index, and autovacuum may take a day. */
export async function analyzeDocuments(ctx: WriteContext): Promise<void> {
  await sql.raw('analyze search.documents').execute(ctx.db)
}

/** Selects rows that need vectors: those without one of the model, or with `onlyNew` those without any. */
export interface Lacking {
  readonly model: string
  readonly onlyNew: boolean
  readonly limit: number
}

function lacksVector(alias: 'd' | 't', { model, onlyNew }: Lacking): Condition {
  return onlyNew ? compare(`${alias}.model`, 'is', null) : compare(`${alias}.model`, 'is distinct from', model)
}

/** Reads documents that need vectors. */
export async function readUnembedded(ctx: ReadContext, lacking: Lacking): Promise<readonly Unembedded[]> {
  const { rows } = await sql<Unembedded>`
    select ${itemText}, d.indexed_at::text as "indexedAt" from search.documents d
    join items.items i on i.owner_id = d.owner_id and i.id = d.item_id
    where ${lacksVector('d', lacking)} limit ${lacking.limit}
  `.execute(ctx.db)
  return rows
}

/** Reads rows of another plugin's table that need vectors. */
export async function readUnembeddedRows(ctx: ReadContext, { table, text }: VectorTable, lacking: Lacking) {
  const { rows } = await sql<{ owner_id: string; id: string; text: string }>`
    select t.owner_id, t.id, ${text} as text from ${sql.table(table)} t
    where ${text} is not null and ${lacksVector('t', lacking)} limit ${lacking.limit}
  `.execute(ctx.db)
  return rows
}

/** Writes vectors into another plugin's table. */
export async function updateVectors(
  ctx: WriteContext,
  table: string,
  model: string,
  rows: readonly ({ readonly owner_id: string; readonly id: string } & VectorColumns)[],
): Promise<void> {
  const records = rows.map(({ owner_id, id, code = null, vector = null }) => ({ owner_id, id, code, vector }))
  await sql`
    update ${sql.table(table)} t set model = ${model}, code = v.code::bit varying, vector = v.vector::real[]
    from ${recordset('v', { owner_id: 'uuid', id: 'uuid', code: 'text', vector: 'text' }, records)}
    where t.owner_id = v.owner_id and t.id = v.id
  `.execute(ctx.db)
}
