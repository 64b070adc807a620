import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table numbering.series (
    owner_id uuid not null, id uuid not null, key text not null, name text not null, prefix text not null,
    next_number int not null default 1, freeze_level text not null default 'none', created_at timestamptz not null,
    primary key (owner_id, id),
    constraint series_freeze_level_check check (freeze_level in ('none', 'no_new', 'no_change'))
  );
  alter table numbering.series add constraint series_key_unique unique (owner_id, key);
  alter table numbering.series add constraint series_prefix_unique unique (owner_id, prefix);

  create table numbering.numbers (
    owner_id uuid not null, item_id uuid not null, series_id uuid not null, number int,
    created_at timestamptz not null, primary key (owner_id, item_id, series_id),
    constraint numbers_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint numbers_owner_id_series_id_foreign foreign key (owner_id, series_id)
      references numbering.series (owner_id, id) on delete cascade
  );
  alter table numbering.numbers add constraint numbers_unique unique (owner_id, series_id, number);
`)
