import { defineMigration } from '../../plugin/define-migration.ts'

export const migration = defineMigration(`
  create extension if not exists pg_trgm;
  create extension if not exists btree_gin;

  create table core.confirmations (
    hash text not null, credential_id uuid not null, digest text not null, expires_at timestamptz not null,
    primary key (hash)
  );
  create index confirmations_expires_at_index on core.confirmations (expires_at);

  create table core.idempotency_keys (
    credential_id uuid not null, key text not null, digest text not null, result jsonb,
    created_at timestamptz not null, primary key (credential_id, key)
  );
  create index idempotency_keys_created_at_index on core.idempotency_keys (created_at);

  create table core.plugins (
    name text not null, version text not null, enabled boolean not null, seen_at timestamptz not null,
    primary key (name)
  );

  create table core.users (
    id uuid not null, email text not null, name text not null, time_zone text not null default 'Asia/Tokyo',
    disabled_at timestamptz, created_at timestamptz not null, primary key (id)
  );
  alter table core.users add constraint users_email_unique unique (email);

  create table core.tokens (
    id uuid not null, user_id uuid not null, name text not null, scope text not null,
    actor_kind text not null default 'agent', hash text not null, hint text not null, projects jsonb,
    created_at timestamptz not null, expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz,
    primary key (id),
    constraint tokens_user_id_foreign foreign key (user_id) references core.users (id) on delete cascade,
    constraint tokens_scope_check check (scope in ('read', 'write')),
    constraint tokens_actor_kind_check check (actor_kind in ('agent', 'human'))
  );
  alter table core.tokens add constraint tokens_hash_unique unique (hash);
`)
