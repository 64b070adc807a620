import { Migration } from '@mikro-orm/migrations'

export class PageConfirmations extends Migration {
  override up(): void {
    this.addSql(
      `create table "core"."page_confirmations" ("owner_id" uuid not null, "id" text not null, "credential_id" uuid not null, "credential" text null, "client" text null, "tool" text not null, "digest" text not null, "effect" text not null, "created_at" timestamptz not null, "expires_at" timestamptz not null, "decided_at" timestamptz null, "agreed" boolean null, "used_at" timestamptz null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "page_confirmations_expires_at_index" on "core"."page_confirmations" ("expires_at")`)
    this.addSql(
      `alter table "core"."page_confirmations" add constraint "page_confirmations_owner_id_foreign" foreign key ("owner_id") references "core"."users" ("id") on delete cascade`,
    )
  }
}
