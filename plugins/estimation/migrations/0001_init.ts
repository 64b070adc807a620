import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "estimation"."estimates" ("owner_id" uuid not null, "item_id" uuid not null, "value" numeric not null, "updated_at" timestamptz not null, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(
      `alter table "estimation"."estimates" add constraint "estimates_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(`alter table "estimation"."estimates" add constraint "estimates_value_check" check (value >= 0)`)
  }
}
