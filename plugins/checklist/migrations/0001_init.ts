import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table checklist.steps (
    owner_id uuid not null, id uuid not null, item_id uuid not null, content text not null,
    done boolean not null default false, position int not null, created_at timestamptz not null,
    done_at timestamptz, primary key (owner_id, id),
    constraint steps_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade
  );
  create index steps_item on checklist.steps (owner_id, item_id, position);
`)
