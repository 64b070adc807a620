import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "transfer"."origins" ("owner_id" uuid not null, "item_id" uuid not null, "project_id" uuid not null, "format" text not null, "key" text not null, "author" text null, "assignee" text null, "created_at" timestamptz not null, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(
      `alter table "transfer"."origins" add constraint "origins_key_unique" unique ("owner_id", "project_id", "format", "key")`,
    )
    this.addSql(
      `alter table "transfer"."origins" add constraint "origins_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "transfer"."origins" add constraint "origins_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
