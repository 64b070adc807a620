import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table portal.authenticators (
    owner_id uuid not null, secret text not null, last_step int not null, created_at timestamptz not null,
    primary key (owner_id)
  );

  create table portal.passkeys (
    owner_id uuid not null, id uuid not null, credential_id text not null, public_key text not null,
    counter numeric not null, transports text not null, name text not null, created_at timestamptz not null,
    challenged_at timestamptz not null, used_at timestamptz, primary key (owner_id, id)
  );
  alter table portal.passkeys add constraint passkeys_credential unique (owner_id, credential_id);

  create table portal.recovery_codes (
    owner_id uuid not null, hash text not null, primary key (owner_id, hash)
  );
`)
