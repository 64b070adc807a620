import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "areas"."areas" ("owner_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "parent_id" uuid null, "name" text not null, "name_key" text not null, "description" text null, "display_order" int not null, "archived_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "areas_project" on "areas"."areas" ("owner_id", "project_id", "name_key")`)
    this.addSql(
      `create unique index "areas_root_unique" on "areas"."areas" ("owner_id", "project_id", "name_key") where ("parent_id" is null)`,
    )
    this.addSql(
      `alter table "areas"."areas" add constraint "areas_sibling_unique" unique ("owner_id", "parent_id", "name_key")`,
    )
    this.addSql(
      `create table "areas"."item_areas" ("owner_id" uuid not null, "item_id" uuid not null, "area_id" uuid not null, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(`create index "item_areas_area" on "areas"."item_areas" ("owner_id", "area_id", "item_id")`)
    this.addSql(
      `alter table "areas"."areas" add constraint "areas_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "areas"."areas" add constraint "areas_owner_id_parent_id_foreign" foreign key ("owner_id", "parent_id") references "areas"."areas" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "areas"."item_areas" add constraint "item_areas_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "areas"."item_areas" add constraint "item_areas_owner_id_area_id_foreign" foreign key ("owner_id", "area_id") references "areas"."areas" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
