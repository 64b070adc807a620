import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table areas.areas (
    owner_id uuid not null, id uuid not null,
    project_id uuid not null, parent_id uuid,
    name text not null, name_key text not null, description text, display_order int not null,
    archived_at timestamptz, created_at timestamptz not null, updated_at timestamptz not null,
    primary key (owner_id, id),
    constraint areas_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade,
    constraint areas_owner_id_parent_id_foreign foreign key (owner_id, parent_id)
      references areas.areas (owner_id, id) on delete cascade
  );
  create index areas_project on areas.areas (owner_id, project_id, name_key);
  create unique index areas_root_unique on areas.areas (owner_id, project_id, name_key) where (parent_id is null);
  alter table areas.areas add constraint areas_sibling_unique unique (owner_id, parent_id, name_key);

  create table areas.item_areas (
    owner_id uuid not null, item_id uuid not null, area_id uuid not null,
    primary key (owner_id, item_id),
    constraint item_areas_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint item_areas_owner_id_area_id_foreign foreign key (owner_id, area_id)
      references areas.areas (owner_id, id) on delete cascade
  );
  create index item_areas_area on areas.item_areas (owner_id, area_id, item_id);
`)
