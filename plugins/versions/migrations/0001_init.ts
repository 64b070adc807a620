import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table versions.versions (
    owner_id uuid not null, id uuid not null, project_id uuid not null, name text not null, name_key text not null,
    description text, target_date date, status text not null default 'planning', released_at timestamptz,
    created_at timestamptz not null, updated_at timestamptz not null, primary key (owner_id, id),
    constraint versions_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade,
    constraint versions_status_check check (status in ('planning', 'released', 'archived'))
  );
  alter table versions.versions add constraint versions_name_unique unique (owner_id, project_id, name_key);

  create table versions.item_versions (
    owner_id uuid not null, item_id uuid not null, version_id uuid not null, primary key (owner_id, item_id),
    constraint item_versions_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint item_versions_owner_id_version_id_foreign foreign key (owner_id, version_id)
      references versions.versions (owner_id, id) on delete cascade
  );
  create index item_versions_version on versions.item_versions (owner_id, version_id, item_id);
`)
