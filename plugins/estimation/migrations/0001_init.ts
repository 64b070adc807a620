import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table estimation.estimates (
    owner_id uuid not null, item_id uuid not null, value numeric not null, updated_at timestamptz not null,
    primary key (owner_id, item_id),
    constraint estimates_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint estimates_value_check check (value >= 0)
  );
`)
