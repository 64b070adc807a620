import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table transfer.origins (
    owner_id uuid not null, item_id uuid not null, project_id uuid not null, format text not null,
    key text not null, author text, assignee text, created_at timestamptz not null, primary key (owner_id, item_id),
    constraint origins_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint origins_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade
  );
  alter table transfer.origins add constraint origins_key_unique unique (owner_id, project_id, format, key);
`)
