import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table projects.invitations (
    owner_id uuid not null, id uuid not null, project_id uuid not null, email text not null, role text not null,
    shown boolean not null, created_at timestamptz not null, expires_at timestamptz not null,
    declined_at timestamptz, withdrawn_at timestamptz, primary key (owner_id, id),
    constraint invitations_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade,
    constraint invitations_role_check check (role in ('editor', 'viewer'))
  );
  create index invitations_email_index on projects.invitations (email);

  create table projects.declined_inviters (
    owner_id uuid not null, inviter_id uuid not null, until timestamptz not null,
    primary key (owner_id, inviter_id)
  );
`)
