import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "projects"."settings" ("owner_id" uuid not null, "features" jsonb not null default '{}', primary key ("owner_id"))`,
    )
    this.addSql(
      `create table "projects"."projects" ("owner_id" uuid not null, "id" uuid not null, "key" text not null, "name" text not null, "description" text null, "is_inbox" boolean not null default false, "estimate_unit" text not null default 'points', "features" jsonb not null default '{}', "archived_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`alter table "projects"."projects" add constraint "projects_key_unique" unique ("owner_id", "key")`)
    this.addSql(
      `create table "projects"."members" ("owner_id" uuid not null, "project_id" uuid not null, "user_id" uuid not null, "role" text not null, "created_at" timestamptz not null, primary key ("owner_id", "project_id", "user_id"))`,
    )
    this.addSql(`create index "members_user_id_index" on "projects"."members" ("user_id")`)
    this.addSql(
      `alter table "projects"."projects" add constraint "projects_estimate_unit_check" check ("estimate_unit" in ('none', 'points', 'hours'))`,
    )
    this.addSql(
      `alter table "projects"."members" add constraint "members_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "projects"."members" add constraint "members_role_check" check ("role" in ('editor', 'viewer'))`,
    )
  }
}
