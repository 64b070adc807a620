import { Migration } from 'tasuki/entities'

export class Uploads extends Migration {
  override up(): void {
    this.addSql(
      `create table "transfer"."uploads" ("owner_id" uuid not null, "id" uuid not null, "filename" text not null, "size" int not null, "format" text not null, "project_owner_id" uuid null, "project_id" uuid null, "new_key" text null, "new_name" text null, "columns" jsonb not null, "states" jsonb not null, "state" text not null, "position" jsonb null, "total" int not null, "fault" jsonb null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "expires_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "uploads_expires" on "transfer"."uploads" ("expires_at")`)
    this.addSql(`create index "uploads_running" on "transfer"."uploads" ("updated_at") where "state" = 'running'`)
    this.addSql(
      `create table "transfer"."chunks" ("owner_id" uuid not null, "upload_id" uuid not null, "n" int not null, "bytes" text not null, primary key ("owner_id", "upload_id", "n"))`,
    )
    this.addSql(
      `alter table "transfer"."uploads" add constraint "uploads_state_check" check ("state" in ('draft', 'running', 'done', 'failed', 'cancelled'))`,
    )
    this.addSql(
      `alter table "transfer"."chunks" add constraint "chunks_owner_id_upload_id_foreign" foreign key ("owner_id", "upload_id") references "transfer"."uploads" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
