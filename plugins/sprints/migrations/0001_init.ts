import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "sprints"."sprints" ("owner_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "parent_id" uuid null, "name" text not null, "name_key" text not null, "goal" text null, "start_date" date null, "end_date" date null, "capacity" numeric null, "status" text not null default 'planning', "display_order" int not null, "started_at" timestamptz null, "closed_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "sprints_project" on "sprints"."sprints" ("owner_id", "project_id", "status")`)
    this.addSql(
      `create unique index "sprints_root_unique" on "sprints"."sprints" ("owner_id", "project_id", "name_key") where ("parent_id" is null)`,
    )
    this.addSql(
      `create unique index "sprints_active_root_unique" on "sprints"."sprints" ("owner_id", "project_id") where ("parent_id" is null and "status" = 'active')`,
    )
    this.addSql(
      `create unique index "sprints_active_child_unique" on "sprints"."sprints" ("owner_id", "parent_id") where ("status" = 'active')`,
    )
    this.addSql(
      `alter table "sprints"."sprints" add constraint "sprints_sibling_unique" unique ("owner_id", "parent_id", "name_key")`,
    )
    this.addSql(
      `create table "sprints"."closings" ("owner_id" uuid not null, "sprint_id" uuid not null, "closed_at" timestamptz not null, "velocity" numeric not null, "unit" text not null, "item_count" int not null, "done_count" int not null, "total" numeric not null, "items" jsonb not null, primary key ("owner_id", "sprint_id"))`,
    )
    this.addSql(
      `create table "sprints"."notes" ("owner_id" uuid not null, "sprint_id" uuid not null, "slot" text not null, "body" text not null, "updated_at" timestamptz not null, primary key ("owner_id", "sprint_id", "slot"))`,
    )
    this.addSql(
      `create table "sprints"."item_sprints" ("owner_id" uuid not null, "item_id" uuid not null, "sprint_id" uuid not null, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(`create index "item_sprints_sprint" on "sprints"."item_sprints" ("owner_id", "sprint_id", "item_id")`)
    this.addSql(
      `alter table "sprints"."sprints" add constraint "sprints_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "sprints"."sprints" add constraint "sprints_owner_id_parent_id_foreign" foreign key ("owner_id", "parent_id") references "sprints"."sprints" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "sprints"."sprints" add constraint "sprints_status_check" check ("status" in ('planning', 'active', 'closed'))`,
    )
    this.addSql(
      `alter table "sprints"."closings" add constraint "closings_owner_id_sprint_id_foreign" foreign key ("owner_id", "sprint_id") references "sprints"."sprints" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "sprints"."notes" add constraint "notes_owner_id_sprint_id_foreign" foreign key ("owner_id", "sprint_id") references "sprints"."sprints" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "sprints"."notes" add constraint "notes_slot_check" check ("slot" in ('planning', 'review', 'retro', 'assistant_summary'))`,
    )
    this.addSql(
      `alter table "sprints"."item_sprints" add constraint "item_sprints_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "sprints"."item_sprints" add constraint "item_sprints_owner_id_sprint_id_foreign" foreign key ("owner_id", "sprint_id") references "sprints"."sprints" ("owner_id", "id") on update no action on delete cascade`,
    )
  }
}
