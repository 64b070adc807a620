import { Migration } from 'tasuki/entities'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "portal"."attempts" ("key" text not null, "failures" int not null, "expires_at" timestamptz not null, primary key ("key"))`,
    )
    this.addSql(
      `create table "portal"."identities" ("issuer" text not null, "subject" text not null, "user_id" uuid not null, "email" text null, "created_at" timestamptz not null, primary key ("issuer", "subject"))`,
    )
    this.addSql(`create index "identities_user" on "portal"."identities" ("user_id")`)
    this.addSql(
      `create table "portal"."passwords" ("owner_id" uuid not null, "hash" text not null, "updated_at" timestamptz not null, primary key ("owner_id"))`,
    )
    this.addSql(
      `create table "portal"."preferences" ("owner_id" uuid not null, "language" text null, "theme" text null, primary key ("owner_id"))`,
    )
    this.addSql(
      `create table "portal"."sessions" ("owner_id" uuid not null, "id" uuid not null, "hash" text not null, "ip" text not null, "user_agent" text not null, "created_at" timestamptz not null, "seen_at" timestamptz not null, "expires_at" timestamptz not null, primary key ("owner_id", "id"))`,
    )
    this.addSql(`create index "sessions_expires" on "portal"."sessions" ("expires_at")`)
    this.addSql(
      `create table "portal"."setup_links" ("hash" text not null, "user_id" uuid null, "expires_at" timestamptz not null, primary key ("hash"))`,
    )
    this.addSql(
      `alter table "portal"."preferences" add constraint "preferences_theme_check" check ("theme" in ('light', 'dark'))`,
    )
  }
}
