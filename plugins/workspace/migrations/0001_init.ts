import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "workspace"."notifications" ("owner_id" uuid not null, "id" uuid not null, "kind" text not null, "title" text not null, "body" text null, "item_owner_id" uuid null, "item_id" uuid null, "data" jsonb null, "created_at" timestamptz not null, "read_at" timestamptz null, primary key ("owner_id", "id"))`,
    )
    this.addSql(
      `create index "notifications_unread" on "workspace"."notifications" ("owner_id", "id") where "read_at" is null`,
    )
    this.addSql(
      `create table "workspace"."settings" ("owner_id" uuid not null, "key" text not null, "value" jsonb not null, "updated_at" timestamptz not null, primary key ("owner_id", "key"))`,
    )
    this.addSql(
      `create table "workspace"."activities" ("owner_id" uuid not null, "id" uuid not null, "item_id" uuid not null, "project_id" uuid not null, "kind" text not null, "from_value" jsonb null, "to_value" jsonb null, "reason" text null, "actor_kind" text not null, "actor_user_id" uuid not null, "client" text null, "credential_label" text null, "call" text not null, "created_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "activities_item" on "workspace"."activities" ("owner_id", "item_id", "id")`)
    this.addSql(`create index "activities_project" on "workspace"."activities" ("owner_id", "project_id", "id")`)
    this.addSql(
      `alter table "workspace"."activities" add constraint "activities_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "workspace"."activities" add constraint "activities_actor_kind_check" check ("actor_kind" in ('human', 'assistant', 'agent', 'system'))`,
    )
  }
}
