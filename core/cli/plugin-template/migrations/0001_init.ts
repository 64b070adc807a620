import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table example.remarks (
    owner_id uuid not null, id uuid not null, item_id uuid not null, text text not null,
    created_at timestamptz not null, primary key (owner_id, id),
    constraint remarks_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade
  );
  create index remarks_item on example.remarks (owner_id, item_id, id);
`)
