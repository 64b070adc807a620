import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "reminders"."reminders" ("owner_id" uuid not null, "id" uuid not null, "item_id" uuid not null, "user_id" uuid not null, "lead_time_minutes" int null, "remind_at" timestamptz null, "status" text not null default 'pending', "sent_at" timestamptz null, "created_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "reminders_item" on "reminders"."reminders" ("owner_id", "item_id")`)
    this.addSql(`create index "reminders_due" on "reminders"."reminders" ("remind_at") where "status" = 'pending'`)
    this.addSql(
      `alter table "reminders"."reminders" add constraint "reminders_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "reminders"."reminders" add constraint "reminders_status_check" check ("status" in ('pending', 'sent', 'dismissed'))`,
    )
  }
}
