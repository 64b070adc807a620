import { defineMigration } from '../../plugin/define-migration.ts'

export const migration = defineMigration(`
  create table core.page_confirmations (
    owner_id uuid not null, id text not null, credential_id uuid not null, credential text, client text,
    tool text not null, digest text not null, effect text not null, created_at timestamptz not null,
    expires_at timestamptz not null, decided_at timestamptz, agreed boolean, used_at timestamptz,
    primary key (owner_id, id),
    constraint page_confirmations_owner_id_foreign foreign key (owner_id)
      references core.users (id) on delete cascade
  );
  create index page_confirmations_expires_at_index on core.page_confirmations (expires_at);
`)
