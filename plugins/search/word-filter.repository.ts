import { compare, sql, type Condition } from 'tasuki/plugin'
import { itemWords } from '../items/points.ts'
import { wordQuery } from './text/words.ts'

/** Returns the condition that the document of an alias matches a query of words. */
export function hasWords(alias: string, query: string): Condition {
  return compare(`${alias}.tsv`, '@@', query)
}

/** Listings look words up in the documents, so that they match the same words as `query`. */
export const wordsOfItems = itemWords({
  join: sql.raw('left join search.documents words on words.owner_id = i.owner_id and words.item_id = i.id'),
  has(text) {
    const query = wordQuery({ text, phrase: /\s/.test(text) })
    return query === null ? null : hasWords('words', query)
  },
})
