import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table sprints.sprints (
    owner_id uuid not null, id uuid not null, project_id uuid not null, parent_id uuid, name text not null,
    name_key text not null, goal text, start_date date, end_date date, capacity numeric,
    status text not null default 'planning', display_order int not null, started_at timestamptz,
    closed_at timestamptz, created_at timestamptz not null, updated_at timestamptz not null,
    primary key (owner_id, id),
    constraint sprints_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade,
    constraint sprints_owner_id_parent_id_foreign foreign key (owner_id, parent_id)
      references sprints.sprints (owner_id, id) on delete cascade,
    constraint sprints_status_check check (status in ('planning', 'active', 'closed'))
  );
  create index sprints_project on sprints.sprints (owner_id, project_id, status);
  create unique index sprints_root_unique on sprints.sprints (owner_id, project_id, name_key)
    where (parent_id is null);
  create unique index sprints_active_root_unique on sprints.sprints (owner_id, project_id)
    where (parent_id is null and status = 'active');
  create unique index sprints_active_child_unique on sprints.sprints (owner_id, parent_id)
    where (status = 'active');
  alter table sprints.sprints add constraint sprints_sibling_unique unique (owner_id, parent_id, name_key);

  create table sprints.closings (
    owner_id uuid not null, sprint_id uuid not null, closed_at timestamptz not null, velocity numeric not null,
    unit text not null, item_count int not null, done_count int not null, total numeric not null,
    items jsonb not null, primary key (owner_id, sprint_id),
    constraint closings_owner_id_sprint_id_foreign foreign key (owner_id, sprint_id)
      references sprints.sprints (owner_id, id) on delete cascade
  );

  create table sprints.notes (
    owner_id uuid not null, sprint_id uuid not null, slot text not null, body text not null,
    updated_at timestamptz not null, primary key (owner_id, sprint_id, slot),
    constraint notes_owner_id_sprint_id_foreign foreign key (owner_id, sprint_id)
      references sprints.sprints (owner_id, id) on delete cascade,
    constraint notes_slot_check check (slot in ('planning', 'review', 'retro', 'assistant_summary'))
  );

  create table sprints.item_sprints (
    owner_id uuid not null, item_id uuid not null, sprint_id uuid not null, primary key (owner_id, item_id),
    constraint item_sprints_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint item_sprints_owner_id_sprint_id_foreign foreign key (owner_id, sprint_id)
      references sprints.sprints (owner_id, id) on delete cascade
  );
  create index item_sprints_sprint on sprints.item_sprints (owner_id, sprint_id, item_id);
`)
