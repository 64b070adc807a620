import { defineMigration } from 'tasuki/entities'

/** Documents record their analyzer and text length; words of a vocabulary are candidates for typos. */
export const migration = defineMigration(`
  alter table search.documents add column length int, add column analyzer smallint not null default 1;
  create index documents_analyzer on search.documents (owner_id, analyzer);

  create table search.words (
    owner_id uuid not null, word text not null, stem text not null, primary key (owner_id, word)
  );
`)
