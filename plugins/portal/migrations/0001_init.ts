import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table portal.attempts (
    key text not null, failures int not null, expires_at timestamptz not null, primary key (key)
  );

  create table portal.identities (
    issuer text not null, subject text not null, user_id uuid not null, email text, created_at timestamptz not null,
    primary key (issuer, subject)
  );
  create index identities_user on portal.identities (user_id);

  create table portal.passwords (
    owner_id uuid not null, hash text not null, updated_at timestamptz not null, primary key (owner_id)
  );

  create table portal.preferences (
    owner_id uuid not null, language text, theme text, primary key (owner_id),
    constraint preferences_theme_check check (theme in ('light', 'dark'))
  );

  create table portal.sessions (
    owner_id uuid not null, id uuid not null, hash text not null, ip text not null, user_agent text not null,
    created_at timestamptz not null, seen_at timestamptz not null, expires_at timestamptz not null,
    primary key (owner_id, id)
  );
  create index sessions_expires on portal.sessions (expires_at);

  create table portal.setup_links (
    hash text not null, user_id uuid, expires_at timestamptz not null, primary key (hash)
  );
`)
