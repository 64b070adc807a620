import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table projects.settings (
    owner_id uuid not null, features jsonb not null default '{}', primary key (owner_id)
  );

  create table projects.projects (
    owner_id uuid not null, id uuid not null, key text not null, name text not null, description text,
    is_inbox boolean not null default false, estimate_unit text not null default 'points',
    features jsonb not null default '{}', archived_at timestamptz, created_at timestamptz not null,
    updated_at timestamptz not null, primary key (owner_id, id),
    constraint projects_estimate_unit_check check (estimate_unit in ('none', 'points', 'hours'))
  );
  alter table projects.projects add constraint projects_key_unique unique (owner_id, key);

  create table projects.members (
    owner_id uuid not null, project_id uuid not null, user_id uuid not null, role text not null,
    created_at timestamptz not null, primary key (owner_id, project_id, user_id),
    constraint members_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade,
    constraint members_role_check check (role in ('editor', 'viewer'))
  );
  create index members_user_id_index on projects.members (user_id);
`)
