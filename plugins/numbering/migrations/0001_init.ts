import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "numbering"."series" ("owner_id" uuid not null, "id" uuid not null, "key" text not null, "name" text not null, "prefix" text not null, "next_number" int not null default 1, "freeze_level" text not null default 'none', "created_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`alter table "numbering"."series" add constraint "series_key_unique" unique ("owner_id", "key")`)
    this.addSql(`alter table "numbering"."series" add constraint "series_prefix_unique" unique ("owner_id", "prefix")`)
    this.addSql(
      `create table "numbering"."numbers" ("owner_id" uuid not null, "item_id" uuid not null, "series_id" uuid not null, "number" int null, "created_at" timestamptz not null, primary key ("owner_id", "item_id", "series_id"))`,
    )
    this.addSql(
      `alter table "numbering"."numbers" add constraint "numbers_unique" unique ("owner_id", "series_id", "number")`,
    )
    this.addSql(
      `alter table "numbering"."series" add constraint "series_freeze_level_check" check ("freeze_level" in ('none', 'no_new', 'no_change'))`,
    )
    this.addSql(
      `alter table "numbering"."numbers" add constraint "numbers_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "numbering"."numbers" add constraint "numbers_owner_id_series_id_foreign" foreign key ("owner_id", "series_id") references "numbering"."series" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
