import { sql, tableExists, type All, type Db, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { searchConfig } from '../config.ts'
import type { EmbeddingProvider } from '../points.ts'

/** Where vectors are stored: in pgvector's table with an index, or in the documents, which are compared one by one. */
export type VectorStore = 'pgvector' | 'exact'

const known = new WeakMap<All, VectorStore>()

/**
 * Finds the store, cached once per host. It caches the result, not the promise: a transaction that waits for another call's statement may
 * hold the connection that the statement waits for.
 */
export async function storeOf(ctx: Pick<ReadContext, 'all' | 'config' | 'db'>): Promise<VectorStore> {
  let store = known.get(ctx.all)
  if (store === undefined) {
    store = await lookUp(ctx)
    known.set(ctx.all, store)
  }
  return store
}

async function lookUp(ctx: Pick<ReadContext, 'config' | 'db'>): Promise<VectorStore> {
  if (ctx.config(searchConfig).vectors === 'exact') return 'exact'
  return (await tableExists(ctx.db, 'search.vectors')) ? 'pgvector' : 'exact'
}

/** Returns the value of the model column of a document with a vector. */
export function modelKey(provider: EmbeddingProvider, store: VectorStore): string {
  return `${provider.name} ${provider.model} ${store}`
}

/** Returns the column type for pgvector's index, which supports at most 2000 dimensions in full precision. */
export function vectorType(dims: number): string {
  return dims <= 2000 ? `vector(${dims})` : `halfvec(${dims})`
}

/**
 * Creates pgvector's table if the server has the extension and permits it. Its index has to scan past neighbours of other owners, which
 * requires version 0.8.
 */
export const CREATE_VECTORS = `
do $$ begin
  if exists (select from pg_available_extensions where name = 'vector' and string_to_array(default_version, '.')::int[] >= '{0,8}') then
    begin
      create extension if not exists vector;
      if (select string_to_array(extversion, '.')::int[] >= '{0,8}' from pg_extension where extname = 'vector') then
        create table if not exists search.vectors (
          owner_id uuid not null, item_id uuid not null, project_id uuid not null, model text not null, dims int not null,
          embedding vector not null,
          primary key (owner_id, item_id),
          foreign key (owner_id, item_id) references search.documents (owner_id, item_id) on delete cascade);
      end if;
    exception when insufficient_privilege then raise notice 'pgvector is there, but this user may not create it';
    end;
  end if;
end $$`

/** Creates pgvector's index for vectors with these dimensions. */
export async function createVectorIndex(db: Db, dims: number): Promise<void> {
  const type = vectorType(dims)
  const operators = type.startsWith('vector') ? 'vector_cosine_ops' : 'halfvec_cosine_ops'
  // Checks first, because `create index` waits for all writers.
  await sql
    .raw(
      `do $$ begin
        if to_regclass('search.vectors_${dims}') is null then
          create index if not exists vectors_${dims} on search.vectors using hnsw ((embedding::${type}) ${operators}) where dims = ${dims};
        end if;
      end $$`,
    )
    .execute(db)
}

/** Creates what the migration lacked the permission for, and detects the store again. */
export async function prepareStore(ctx: WriteContext): Promise<VectorStore> {
  if (ctx.config(searchConfig).vectors === 'auto') await sql.raw(CREATE_VECTORS).execute(ctx.db)
  // Not cached yet: a rollback would drop the table again.
  ctx.afterCommit(() => void known.delete(ctx.all))
  return lookUp(ctx)
}
