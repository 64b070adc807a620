import { defineMigration } from 'tasuki/entities'
import { CREATE_VECTORS } from '../embedding/vector-store.repository.ts'

/** No entity describes `search.vectors`: it exists only with pgvector. */
export const migration = defineMigration(`
  create table search.documents (
    owner_id uuid not null, item_id uuid not null, project_id uuid not null, tsv tsvector not null, code varbit,
    vector real[], model text, indexed_at timestamptz not null, primary key (owner_id, item_id),
    constraint documents_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade
  );
  create index documents_tsv on search.documents using gin (owner_id, tsv);
  create index documents_unembedded on search.documents (owner_id, item_id) where model is null;

  ${CREATE_VECTORS};
`)
