import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "versions"."versions" ("owner_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "name" text not null, "name_key" text not null, "description" text null, "target_date" date null, "status" text not null default 'planning', "released_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(
      `alter table "versions"."versions" add constraint "versions_name_unique" unique ("owner_id", "project_id", "name_key")`,
    )
    this.addSql(
      `create table "versions"."item_versions" ("owner_id" uuid not null, "item_id" uuid not null, "version_id" uuid not null, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(
      `create index "item_versions_version" on "versions"."item_versions" ("owner_id", "version_id", "item_id")`,
    )
    this.addSql(
      `alter table "versions"."versions" add constraint "versions_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "versions"."versions" add constraint "versions_status_check" check ("status" in ('planning', 'released', 'archived'))`,
    )
    this.addSql(
      `alter table "versions"."item_versions" add constraint "item_versions_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "versions"."item_versions" add constraint "item_versions_owner_id_version_id_foreign" foreign key ("owner_id", "version_id") references "versions"."versions" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
