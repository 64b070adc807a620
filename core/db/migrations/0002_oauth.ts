import { Migration } from '@mikro-orm/migrations'

export class OAuth extends Migration {
  override up(): void {
    this.addSql(
      `create table "core"."oauth_artifacts" ("id" text not null, "kind" text not null, "payload" jsonb not null, "user_id" uuid null, "connection_id" uuid null, "uid" text null, "created_at" timestamptz not null, "expires_at" timestamptz null, "consumed_at" timestamptz null, "last_used_at" timestamptz null, primary key ("id"))`,
    )
    this.addSql(`create index "oauth_artifacts_user_id_index" on "core"."oauth_artifacts" ("user_id")`)
    this.addSql(`create index "oauth_artifacts_connection_id_index" on "core"."oauth_artifacts" ("connection_id")`)
    this.addSql(`create index "oauth_artifacts_uid_index" on "core"."oauth_artifacts" ("uid")`)
    this.addSql(`create index "oauth_artifacts_expires_at_index" on "core"."oauth_artifacts" ("expires_at")`)
    this.addSql(
      `alter table "core"."oauth_artifacts" add constraint "oauth_artifacts_user_id_foreign" foreign key ("user_id") references "core"."users" ("id") on delete cascade`,
    )
  }
}
