import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table items.counters (
    owner_id uuid not null, next_number int not null, primary key (owner_id)
  );

  create table items.kinds (
    owner_id uuid not null, project_id uuid not null, kind text not null, label text,
    display_order int not null default 0, primary key (owner_id, project_id, kind),
    constraint kinds_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade
  );

  create table items.items (
    owner_id uuid not null, id uuid not null, number int not null, project_id uuid not null, state_id uuid not null,
    parent_id uuid, type text not null default 'task', title text not null, detail text not null default '',
    due_date date, due_time text, start_date date, priority smallint, kind text not null default 'task',
    archived_at timestamptz, completed_at timestamptz, created_at timestamptz not null,
    updated_at timestamptz not null, last_activity_at timestamptz not null, primary key (owner_id, id),
    constraint items_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade,
    constraint items_owner_id_state_id_foreign foreign key (owner_id, state_id)
      references workflows.states (owner_id, id),
    constraint items_owner_id_parent_id_foreign foreign key (owner_id, parent_id)
      references items.items (owner_id, id),
    constraint items_type_check check (type in ('task', 'note', 'event', 'task_template'))
  );
  create index items_due on items.items (owner_id, type, due_date, number) where archived_at is null;
  create index items_project_due on items.items (owner_id, project_id, type, due_date, number)
    where archived_at is null;
  create index items_priority on items.items (owner_id, type, priority, number) where archived_at is null;
  create index items_created on items.items (owner_id, type, created_at, number) where archived_at is null;
  create index items_updated on items.items (owner_id, type, updated_at, number) where archived_at is null;
  create index items_state on items.items (owner_id, state_id);
  create index items_parent on items.items (owner_id, parent_id);
  create index items_title_trgm on items.items using gin (owner_id, title gin_trgm_ops);
  create index items_detail_trgm on items.items using gin (owner_id, detail gin_trgm_ops);
  alter table items.items add constraint items_number_unique unique (owner_id, number);

  create table items.revisions (
    owner_id uuid not null, id uuid not null, item_id uuid not null, title text not null, detail text not null,
    actor_kind text not null, user_id uuid not null, note text, created_at timestamptz not null,
    primary key (owner_id, id),
    constraint revisions_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade
  );
  create index revisions_item on items.revisions (owner_id, item_id, id);
`)
