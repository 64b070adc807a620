import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table summaries.summaries (
    owner_id uuid not null, item_id uuid not null, summary text not null, provider text not null, model text,
    instead_of text, discussions int not null, discussed_at timestamptz not null, generated_at timestamptz not null,
    primary key (owner_id, item_id),
    constraint summaries_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade
  );
`)
