import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table discussions.discussions (
    owner_id uuid not null, id uuid not null, item_id uuid not null, author_id uuid not null,
    author_kind text not null, body text not null, kind text not null default 'progress',
    created_at timestamptz not null, updated_at timestamptz not null, primary key (owner_id, id),
    constraint discussions_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint discussions_kind_check check (kind in ('decision', 'fact', 'progress'))
  );
  create index discussions_item on discussions.discussions (owner_id, item_id, id);
`)
