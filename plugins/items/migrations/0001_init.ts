import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "items"."counters" ("owner_id" uuid not null, "next_number" int not null, primary key ("owner_id"))`,
    )
    this.addSql(
      `create table "items"."kinds" ("owner_id" uuid not null, "project_id" uuid not null, "kind" text not null, "label" text null, "display_order" int not null default 0, primary key ("owner_id", "project_id", "kind"))`,
    )
    this.addSql(
      `create table "items"."items" ("owner_id" uuid not null, "id" uuid not null, "number" int not null, "project_id" uuid not null, "state_id" uuid not null, "parent_id" uuid null, "type" text not null default 'task', "title" text not null, "detail" text not null default '', "due_date" date null, "due_time" text null, "start_date" date null, "priority" smallint null, "kind" text not null default 'task', "archived_at" timestamptz null, "completed_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "last_activity_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(
      `create index "items_due" on "items"."items" ("owner_id", "type", "due_date", "number") where "archived_at" is null`,
    )
    this.addSql(
      `create index "items_project_due" on "items"."items" ("owner_id", "project_id", "type", "due_date", "number") where "archived_at" is null`,
    )
    this.addSql(
      `create index "items_priority" on "items"."items" ("owner_id", "type", "priority", "number") where "archived_at" is null`,
    )
    this.addSql(
      `create index "items_created" on "items"."items" ("owner_id", "type", "created_at", "number") where "archived_at" is null`,
    )
    this.addSql(
      `create index "items_updated" on "items"."items" ("owner_id", "type", "updated_at", "number") where "archived_at" is null`,
    )
    this.addSql(`create index "items_state" on "items"."items" ("owner_id", "state_id")`)
    this.addSql(`create index "items_parent" on "items"."items" ("owner_id", "parent_id")`)
    this.addSql(`create index "items_title_trgm" on "items"."items" using gin ("owner_id", "title" gin_trgm_ops)`)
    this.addSql(`create index "items_detail_trgm" on "items"."items" using gin ("owner_id", "detail" gin_trgm_ops)`)
    this.addSql(`alter table "items"."items" add constraint "items_number_unique" unique ("owner_id", "number")`)
    this.addSql(
      `create table "items"."revisions" ("owner_id" uuid not null, "id" uuid not null, "item_id" uuid not null, "title" text not null, "detail" text not null, "actor_kind" text not null, "user_id" uuid not null, "note" text null, "created_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "revisions_item" on "items"."revisions" ("owner_id", "item_id", "id")`)
    this.addSql(
      `alter table "items"."kinds" add constraint "kinds_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "items"."items" add constraint "items_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "items"."items" add constraint "items_owner_id_state_id_foreign" foreign key ("owner_id", "state_id") references "workflows"."states" ("owner_id", "id") on update no action on delete no action`,
    )
    this.addSql(
      `alter table "items"."items" add constraint "items_owner_id_parent_id_foreign" foreign key ("owner_id", "parent_id") references "items"."items" ("owner_id", "id") on update no action on delete no action`,
    )
    this.addSql(
      `alter table "items"."items" add constraint "items_type_check" check ("type" in ('task', 'note', 'event', 'task_template'))`,
    )
    this.addSql(
      `alter table "items"."revisions" add constraint "revisions_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
