import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "templates"."templates" ("owner_id" uuid not null, "item_id" uuid not null, "rule" text not null, "timezone" text not null, "dtstart" text not null, "starts_after" timestamptz null, "ends_at" timestamptz null, "strategy" text not null, "enabled" boolean not null default true, "next_at" timestamptz null, "due_at" timestamptz null, "failures" int not null default 0, "last_occurrence" timestamptz null, "last_item_id" uuid null, "skipped" int not null default 0, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(`create index "templates_due" on "templates"."templates" ("due_at") where "enabled" = true`)
    this.addSql(
      `create table "templates"."instances" ("owner_id" uuid not null, "item_id" uuid not null, "template_id" uuid not null, "occurrence" timestamptz null, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(
      `alter table "templates"."instances" add constraint "instances_once" unique ("owner_id", "template_id", "occurrence")`,
    )
    this.addSql(
      `alter table "templates"."templates" add constraint "templates_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "templates"."templates" add constraint "templates_strategy_check" check ("strategy" in ('always', 'skip_if_previous_open', 'supersede_previous'))`,
    )
    this.addSql(
      `alter table "templates"."instances" add constraint "instances_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "templates"."instances" add constraint "instances_owner_id_template_id_foreign" foreign key ("owner_id", "template_id") references "templates"."templates" ("owner_id", "item_id") on update no action on delete cascade`,
    )
  }
}
