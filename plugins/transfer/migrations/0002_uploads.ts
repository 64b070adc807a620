import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table transfer.uploads (
    owner_id uuid not null, id uuid not null, filename text not null, size int not null, format text not null,
    project_owner_id uuid, project_id uuid, new_key text, new_name text, columns jsonb not null,
    states jsonb not null, state text not null, position jsonb, total int not null, fault jsonb,
    created_at timestamptz not null, updated_at timestamptz not null, expires_at timestamptz not null,
    primary key (owner_id, id),
    constraint uploads_state_check check (state in ('draft', 'running', 'done', 'failed', 'cancelled'))
  );
  create index uploads_expires on transfer.uploads (expires_at);
  create index uploads_running on transfer.uploads (updated_at) where state = 'running';

  create table transfer.chunks (
    owner_id uuid not null, upload_id uuid not null, n int not null, bytes text not null,
    primary key (owner_id, upload_id, n),
    constraint chunks_owner_id_upload_id_foreign foreign key (owner_id, upload_id)
      references transfer.uploads (owner_id, id) on delete cascade
  );
`)
