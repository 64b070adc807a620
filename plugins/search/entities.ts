import { defineTable, indexOn, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'

/** The index columns of a text. Functions, because every entity completes its columns. */
export const searchColumns = {
  tsv: () => p.string().columnType('tsvector'),
  /** The version of the analyzer that made `tsv`. */
  analyzer: () => p.smallint().default(1),
  /** Signs of the rotated vector: similar vectors have many equal bits. Null with pgvector. */
  code: () => p.string().columnType('varbit').nullable(),
  vector: () => p.float().array().columnType('real[]').nullable(),
  /** The provider and model of the vector; null = not yet embedded. */
  model: () => p.text().nullable(),
}

/** The index that searches read instead of the texts of items. With pgvector, `search.vectors` has the vectors. */
const DocumentSchema = defineTable('search.documents', {
  properties: {
    ...itemKey,
    /** Copied from the item, so that visibility checks need no join. */
    projectId: p.uuid(),
    ...searchColumns,
    /** Text length for the ranking; null for an earlier analyzer. */
    length: p.integer().nullable(),
    indexedAt: p.datetime(),
  },
  indexes: [
    indexOn('documents_tsv', 'using gin (owner_id, tsv)'),
    { name: 'documents_analyzer', properties: ['ownerId', 'analyzer'] },
    indexOn('documents_unembedded', '(owner_id, item_id) where model is null'),
  ],
})

/** The vocabulary of each owner's items, for typos. A job deletes unused words. */
const WordSchema = defineTable('search.words', {
  properties: { ownerId: p.uuid().primary(), word: p.text().primary(), stem: p.text() },
  indexes: [
    indexOn('words_head', '(owner_id, word collate "C")'),
    indexOn('words_tail', '(owner_id, reverse(word) collate "C")'),
  ],
})

export const entities = [DocumentSchema, WordSchema]

/** Exists only with pgvector, so it has no entity; an item without a vector has no row. */
interface VectorsTable {
  owner_id: string
  item_id: string
  project_id: string
  model: string
  /** Dimensions of the vector; each value has its own index. */
  dims: number
  /** `[1,0.5,…]` */
  embedding: string
}

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'search', typeof entities> {
    'search.vectors': VectorsTable
  }
}
