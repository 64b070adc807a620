import { Migration } from 'tasuki/entities'

export class Invitations extends Migration {
  override up(): void {
    this.addSql(
      `create table "projects"."invitations" ("owner_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "email" text not null, "role" text not null, "shown" boolean not null, "created_at" timestamptz not null, "expires_at" timestamptz not null, "declined_at" timestamptz null, "withdrawn_at" timestamptz null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "invitations_email_index" on "projects"."invitations" ("email")`)
    this.addSql(
      `create table "projects"."declined_inviters" ("owner_id" uuid not null, "inviter_id" uuid not null, "until" timestamptz not null, primary key ("owner_id", "inviter_id"))`,
    )
    this.addSql(
      `alter table "projects"."invitations" add constraint "invitations_owner_id_project_id_foreign" foreign key ("owner_id", "project_id") references "projects"."projects" ("owner_id", "id") on update no action on delete cascade`,
    )
    this.addSql(
      `alter table "projects"."invitations" add constraint "invitations_role_check" check ("role" in ('editor', 'viewer'))`,
    )
  }
}
