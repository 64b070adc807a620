import { fixedPlan, sql, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import { vectorColumns, type VectorColumns } from './embedding/columns.ts'
import { embed, embeddedPart, providerOf } from './embedding/provider.ts'
import { modelKey, storeOf, type VectorStore } from './embedding/store.ts'
import { textVector } from './text/vector.ts'

/** The texts of an item to be made searchable. */
export interface ItemText {
  readonly ownerId: string
  readonly itemId: string
  readonly projectId: string
  readonly title: string
  readonly detail: string
}

/** Columns of `ItemText`, from the items `i`. */
export const itemText = sql<ItemText>`i.owner_id as "ownerId", i.id as "itemId", i.project_id as "projectId", i.title, i.detail`

/**
 * Writes what searches look at, in one statement. A local provider's vectors come along; those of others are left to the job.
 * @returns whether vectors have to be made by the job
 */
export async function writeDocuments(ctx: WriteContext, items: readonly ItemText[]): Promise<boolean> {
  if (items.length === 0) return false
  const provider = providerOf(ctx)
  const local = provider?.local === true ? provider : null
  const store = local ? await storeOf(ctx) : 'exact'
  const vectors = local
    ? await embed(
        local,
        items.map(item => embeddedText(ctx, item)),
        { of: 'text', signal: ctx.signal },
      )
    : []
  const given = items.map(({ title, detail, ...item }, n) => ({
    ...item,
    tsv: textVector(title, detail),
    ...vectorColumns(vectors[n], store),
  }))
  const model = local && modelKey(local, store)
  const documents = sql`
    insert into search.documents (owner_id, item_id, project_id, tsv, code, vector, model, indexed_at)
    select owner_id, item_id, project_id, tsv::tsvector, code::bit varying, vector::real[], ${model}, ${ctx.now} from v
    on conflict (owner_id, item_id) do update set project_id = excluded.project_id, tsv = excluded.tsv, code = excluded.code,
      vector = excluded.vector, model = excluded.model, indexed_at = excluded.indexed_at`
  const v = sql`${fixedPlan} with ${givenRows(given)}`
  if (local && store === 'pgvector')
    await sql`${v}, d as (${documents}) ${replaceVectors(given, model!, local.dims)}`.execute(ctx.db)
  else await sql`${v} ${documents}`.execute(ctx.db)
  return provider !== null && !local
}

/** The text of an item that stands for it. */
export function embeddedText(ctx: Pick<WriteContext, 'config'>, { title, detail }: ItemText): string {
  return embeddedPart(ctx, `${title}\n${detail}`)
}

/** A document as it was read for embedding. */
export interface Unembedded extends ItemText {
  readonly indexedAt: string
}

/** Writes vectors of documents that have not been written again since they were read. */
export async function writeVectors(
  ctx: WriteContext,
  documents: readonly Unembedded[],
  vectors: readonly (readonly number[] | null)[],
  { model, dims, store }: { readonly model: string; readonly dims: number; readonly store: VectorStore },
): Promise<void> {
  const given = documents.map(({ title: _title, detail: _detail, ...document }, n) => ({
    ...document,
    ...vectorColumns(vectors[n], store),
  }))
  const marked = sql`
    update search.documents d set model = ${model}, code = v.code::bit varying, vector = v.vector::real[] from v
    where d.owner_id = v.owner_id and d.item_id = v.item_id and d.indexed_at = v.indexed_at::timestamptz`
  const v = sql`with ${givenRows(given)}`
  if (store === 'exact') await sql`${v} ${marked}`.execute(ctx.db)
  else {
    const current = sql`and (owner_id, item_id) in (select owner_id, item_id from d)`
    await sql`
      ${v}, d as (${marked} returning d.owner_id, d.item_id) ${replaceVectors(given, model, dims, current)}
    `.execute(ctx.db)
  }
}

interface GivenRow extends VectorColumns, Pick<ItemText, 'ownerId' | 'itemId' | 'projectId'> {
  readonly tsv?: string
  readonly indexedAt?: string
}

/** The rows as the query `v`: parameters, since reading a vector out of JSON takes longer than to keep it. */
function givenRows(rows: readonly GivenRow[]): RawBuilder<unknown> {
  const values = rows.map(
    ({ ownerId, itemId, projectId, tsv = null, indexedAt = null, code = null, vector = null, embedding = null }) =>
      sql`(${ownerId}::uuid, ${itemId}::uuid, ${projectId}::uuid, ${tsv}::text, ${indexedAt}::text, ${code}::text, ${vector}::text, ${embedding}::text)`,
  )
  return sql`v (owner_id, item_id, project_id, tsv, indexed_at, code, vector, embedding) as (values ${sql.join(values)})`
}

/** Writes the vectors of `v` into pgvector's table, and deletes those of texts that have none any more; follows the other queries of `with`. */
function replaceVectors(
  given: readonly GivenRow[],
  model: string,
  dims: number,
  and: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const lost = sql`, lost as (
    delete from search.vectors where (owner_id, item_id) in (select owner_id, item_id from v where embedding is null ${and}))`
  return sql`${given.some(({ embedding }) => embedding === undefined) ? lost : sql``}
    insert into search.vectors (owner_id, item_id, project_id, model, dims, embedding)
    select owner_id, item_id, project_id, ${model}, ${dims}::int, embedding::vector from v where embedding is not null ${and}
    on conflict (owner_id, item_id) do update
    set project_id = excluded.project_id, model = excluded.model, dims = excluded.dims, embedding = excluded.embedding`
}
