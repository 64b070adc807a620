import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table custom_fields.fields (
    owner_id uuid not null, id uuid not null, project_id uuid not null, field_key text not null,
    label text not null, is_required boolean not null default false, display_order int not null default 0,
    is_active boolean not null default true, created_at timestamptz not null, primary key (owner_id, id),
    constraint fields_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade
  );
  alter table custom_fields.fields add constraint fields_key_unique unique (owner_id, project_id, field_key);

  create table custom_fields.values (
    owner_id uuid not null, item_id uuid not null, field_id uuid not null, value text not null,
    primary key (owner_id, item_id, field_id),
    constraint values_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint values_owner_id_field_id_foreign foreign key (owner_id, field_id)
      references custom_fields.fields (owner_id, id) on delete cascade
  );
  create index values_field on custom_fields.values (owner_id, field_id);
`)
