import { defineTable, indexOn, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'

/** What searches read instead of the texts of items. Where the server has pgvector, `search.vectors` has the vectors. */
const DocumentSchema = defineTable('search.documents', {
  properties: {
    ...itemKey,
    /** The item's own, so that what the caller may see is known without the item. */
    projectId: p.uuid(),
    tsv: p.string().columnType('tsvector'),
    /** How long the text is for the ranking; null = by an earlier analyzer. */
    length: p.integer().nullable(),
    /** The version of the analyzer that made `tsv`. */
    analyzer: p.smallint().default(1),
    /** Signs of the rotated vector: the share of equal bits is near where the vectors are. Null where pgvector is used. */
    code: p.string().columnType('varbit').nullable(),
    vector: p.float().array().columnType('real[]').nullable(),
    /** What made the vector; null = it has to be made. */
    model: p.text().nullable(),
    indexedAt: p.datetime(),
  },
  indexes: [
    indexOn('documents_tsv', 'using gin (owner_id, tsv)'),
    { name: 'documents_analyzer', properties: ['ownerId', 'analyzer'] },
    indexOn('documents_unembedded', '(owner_id, item_id) where model is null'),
  ],
})

/** The words of each owner's items, for words with a typo. A job deletes those that are in no item any more. */
const WordSchema = defineTable('search.words', {
  properties: {
    ownerId: p.uuid().primary(),
    word: p.text().primary(),
    stem: p.text(),
  },
})

export const entities = [DocumentSchema, WordSchema]

/** Made where the server has pgvector, so that no entity describes it; an item without a vector has no row. */
interface VectorsTable {
  owner_id: string
  item_id: string
  project_id: string
  model: string
  /** How many numbers the vector has; each number of them has an index of its own. */
  dims: number
  /** `[1,0.5,…]` */
  embedding: string
}

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'search', typeof entities> {
    'search.vectors': VectorsTable
  }
}
