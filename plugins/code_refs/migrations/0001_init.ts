import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "code_refs"."links" ("owner_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "host" text not null, "repository" text not null, "secret" text not null, "created_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(
      `alter table "code_refs"."links" add constraint "links_unique" unique ("owner_id", "project_id", "host", "repository")`,
    )
    this.addSql(
      `create table "code_refs"."deliveries" ("owner_id" uuid not null, "link_id" uuid not null, "delivery" text not null, "received_at" timestamptz not null, primary key ("owner_id", "link_id", "delivery"))`,
    )
    this.addSql(`create index "deliveries_received" on "code_refs"."deliveries" ("received_at")`)
    this.addSql(
      `create table "code_refs"."references" ("owner_id" uuid not null, "item_id" uuid not null, "link_id" uuid not null, "kind" text not null, "external_id" text not null, "title" text not null, "url" text not null, "author" text null, "state" text null, "branch" text null, "occurred_at" timestamptz not null, primary key ("owner_id", "item_id", "link_id", "kind", "external_id"))`,
    )
    this.addSql(
      `alter table "code_refs"."links" add constraint "links_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "code_refs"."links" add constraint "links_host_check" check ("host" in ('github', 'gitlab', 'gitea'))`,
    )
    this.addSql(
      `alter table "code_refs"."deliveries" add constraint "deliveries_owner_id_link_id_foreign" foreign key ("owner_id", "link_id") references "code_refs"."links" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "code_refs"."references" add constraint "references_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "code_refs"."references" add constraint "references_owner_id_link_id_foreign" foreign key ("owner_id", "link_id") references "code_refs"."links" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "code_refs"."references" add constraint "references_kind_check" check ("kind" in ('commit', 'pull_request'))`,
    )
  }
}
