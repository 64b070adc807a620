import { defineMigration } from '../../plugin/define-migration.ts'

export const migration = defineMigration(`
  create table core.oauth_artifacts (
    id text not null, kind text not null, payload jsonb not null, user_id uuid, connection_id uuid, uid text,
    created_at timestamptz not null, expires_at timestamptz, consumed_at timestamptz, last_used_at timestamptz,
    primary key (id),
    constraint oauth_artifacts_user_id_foreign foreign key (user_id) references core.users (id) on delete cascade
  );
  create index oauth_artifacts_user_id_index on core.oauth_artifacts (user_id);
  create index oauth_artifacts_connection_id_index on core.oauth_artifacts (connection_id);
  create index oauth_artifacts_uid_index on core.oauth_artifacts (uid);
  create index oauth_artifacts_expires_at_index on core.oauth_artifacts (expires_at);
`)
