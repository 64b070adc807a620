import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "summaries"."summaries" ("owner_id" uuid not null, "item_id" uuid not null, "summary" text not null, "provider" text not null, "model" text null, "instead_of" text null, "discussions" int not null, "discussed_at" timestamptz not null, "generated_at" timestamptz not null, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(
      `alter table "summaries"."summaries" add constraint "summaries_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
