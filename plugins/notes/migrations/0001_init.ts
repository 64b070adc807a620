import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "notes"."folders" ("owner_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "parent_id" uuid null, "name" text not null, "display_order" int not null default 0, "created_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "folders_project" on "notes"."folders" ("owner_id", "project_id", "display_order")`)
    this.addSql(
      `create table "notes"."placements" ("owner_id" uuid not null, "item_id" uuid not null, "folder_id" uuid not null, "display_order" int not null default 0, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(`create index "placements_folder" on "notes"."placements" ("owner_id", "folder_id")`)
    this.addSql(
      `alter table "notes"."folders" add constraint "folders_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "notes"."folders" add constraint "folders_owner_id_parent_id_foreign" foreign key ("owner_id", "parent_id") references "notes"."folders" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "notes"."placements" add constraint "placements_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "notes"."placements" add constraint "placements_owner_id_folder_id_foreign" foreign key ("owner_id", "folder_id") references "notes"."folders" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
