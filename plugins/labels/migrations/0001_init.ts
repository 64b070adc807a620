import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table labels.labels (
    owner_id uuid not null, id uuid not null, project_id uuid not null, name text not null, name_key text not null,
    description text, color_hex text, display_order int not null, archived_at timestamptz,
    created_at timestamptz not null, updated_at timestamptz not null, primary key (owner_id, id),
    constraint labels_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade
  );
  alter table labels.labels add constraint labels_name_unique unique (owner_id, project_id, name_key);

  create table labels.item_labels (
    owner_id uuid not null, item_id uuid not null, label_id uuid not null,
    primary key (owner_id, item_id, label_id),
    constraint item_labels_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint item_labels_owner_id_label_id_foreign foreign key (owner_id, label_id)
      references labels.labels (owner_id, id) on delete cascade
  );
  create index item_labels_label on labels.item_labels (owner_id, label_id, item_id);
`)
