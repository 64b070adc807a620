import { defineMigration } from 'tasuki/entities'

/** A word with a typo has the beginning or the ending of the right one. */
export const migration = defineMigration(`
  create index words_head on search.words (owner_id, word collate "C");
  create index words_tail on search.words (owner_id, reverse(word) collate "C");
`)
