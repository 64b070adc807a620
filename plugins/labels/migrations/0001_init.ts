import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "labels"."labels" ("owner_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "name" text not null, "name_key" text not null, "description" text null, "color_hex" text null, "display_order" int not null, "archived_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(
      `alter table "labels"."labels" add constraint "labels_name_unique" unique ("owner_id", "project_id", "name_key")`,
    )
    this.addSql(
      `create table "labels"."item_labels" ("owner_id" uuid not null, "item_id" uuid not null, "label_id" uuid not null, primary key ("owner_id", "item_id", "label_id"))`,
    )
    this.addSql(`create index "item_labels_label" on "labels"."item_labels" ("owner_id", "label_id", "item_id")`)
    this.addSql(
      `alter table "labels"."labels" add constraint "labels_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "labels"."item_labels" add constraint "item_labels_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "labels"."item_labels" add constraint "item_labels_owner_id_label_id_foreign" foreign key ("owner_id", "label_id") references "labels"."labels" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
