import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table conversations.threads (
    owner_id uuid not null, id uuid not null, credential text not null, client text not null, title text,
    tsv tsvector not null, messages int not null, started_at timestamptz not null, last_at timestamptz not null,
    closed_at timestamptz, primary key (owner_id, id)
  );
  create index threads_recent on conversations.threads (owner_id, last_at, id);
  create index threads_open on conversations.threads (owner_id, last_at) where closed_at is null;
  create index threads_tsv on conversations.threads using gin (owner_id, tsv);

  create table conversations.current (
    owner_id uuid not null, credential text not null, client text not null, thread_id uuid not null,
    last_at timestamptz not null, primary key (owner_id, credential, client),
    constraint current_owner_id_thread_id_foreign foreign key (owner_id, thread_id)
      references conversations.threads (owner_id, id) on delete cascade
  );
  create index current_thread on conversations.current (owner_id, thread_id);

  create table conversations.messages (
    owner_id uuid not null, id uuid not null, thread_id uuid not null, role text not null, content text not null,
    tool text, refs jsonb, outcome text, tsv tsvector not null, created_at timestamptz not null,
    primary key (owner_id, id),
    constraint messages_owner_id_thread_id_foreign foreign key (owner_id, thread_id)
      references conversations.threads (owner_id, id) on delete cascade,
    constraint messages_role_check check (role in ('user', 'assistant', 'system', 'tool'))
  );
  create index messages_thread on conversations.messages (owner_id, thread_id, id);
  create index messages_old on conversations.messages (owner_id, created_at);
  create index messages_tsv on conversations.messages using gin (owner_id, tsv);

  create table conversations.plans (
    owner_id uuid not null, thread_id uuid not null, item_owner_id uuid not null, item_id uuid not null,
    bound_at timestamptz not null, primary key (owner_id, thread_id),
    constraint plans_owner_id_thread_id_foreign foreign key (owner_id, thread_id)
      references conversations.threads (owner_id, id) on delete cascade
  );
`)
