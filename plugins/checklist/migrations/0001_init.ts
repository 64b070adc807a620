import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "checklist"."steps" ("owner_id" uuid not null, "id" uuid not null, "item_id" uuid not null, "content" text not null, "done" boolean not null default false, "position" int not null, "created_at" timestamptz not null, "done_at" timestamptz null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "steps_item" on "checklist"."steps" ("owner_id", "item_id", "position")`)
    this.addSql(
      `alter table "checklist"."steps" add constraint "steps_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
