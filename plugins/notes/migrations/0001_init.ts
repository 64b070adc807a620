import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table notes.folders (
    owner_id uuid not null, id uuid not null, project_id uuid not null, parent_id uuid, name text not null,
    display_order int not null default 0, created_at timestamptz not null, primary key (owner_id, id),
    constraint folders_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade,
    constraint folders_owner_id_parent_id_foreign foreign key (owner_id, parent_id)
      references notes.folders (owner_id, id) on delete cascade
  );
  create index folders_project on notes.folders (owner_id, project_id, display_order);

  create table notes.placements (
    owner_id uuid not null, item_id uuid not null, folder_id uuid not null, display_order int not null default 0,
    primary key (owner_id, item_id),
    constraint placements_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint placements_owner_id_folder_id_foreign foreign key (owner_id, folder_id)
      references notes.folders (owner_id, id) on delete cascade
  );
  create index placements_folder on notes.placements (owner_id, folder_id);
`)
