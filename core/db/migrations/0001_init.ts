import { Migration } from '@mikro-orm/migrations'

export class Init extends Migration {
  override up(): void {
    this.addSql('create extension if not exists pg_trgm')
    this.addSql('create extension if not exists btree_gin')
    this.addSql(
      `create table "core"."confirmations" ("hash" text not null, "credential_id" uuid not null, "digest" text not null, "expires_at" timestamptz not null, primary key ("hash"))`,
    )
    this.addSql(`create index "confirmations_expires_at_index" on "core"."confirmations" ("expires_at")`)
    this.addSql(
      `create table "core"."idempotency_keys" ("credential_id" uuid not null, "key" text not null, "digest" text not null, "result" jsonb null, "created_at" timestamptz not null, primary key ("credential_id", "key"))`,
    )
    this.addSql(`create index "idempotency_keys_created_at_index" on "core"."idempotency_keys" ("created_at")`)
    this.addSql(
      `create table "core"."plugins" ("name" text not null, "version" text not null, "enabled" boolean not null, "seen_at" timestamptz not null, primary key ("name"))`,
    )
    this.addSql(
      `create table "core"."users" ("id" uuid not null, "email" text not null, "name" text not null, "time_zone" text not null default 'Asia/Tokyo', "disabled_at" timestamptz null, "created_at" timestamptz not null, primary key ("id"))`,
    )
    this.addSql(`alter table "core"."users" add constraint "users_email_unique" unique ("email")`)
    this.addSql(
      `create table "core"."tokens" ("id" uuid not null, "user_id" uuid not null, "name" text not null, "scope" text not null, "actor_kind" text not null default 'agent', "hash" text not null, "hint" text not null, "projects" jsonb null, "created_at" timestamptz not null, "expires_at" timestamptz null, "last_used_at" timestamptz null, "revoked_at" timestamptz null, primary key ("id"))`,
    )
    this.addSql(`alter table "core"."tokens" add constraint "tokens_hash_unique" unique ("hash")`)
    this.addSql(
      `alter table "core"."tokens" add constraint "tokens_user_id_foreign" foreign key ("user_id") references "core"."users" ("id") on delete cascade`,
    )
    this.addSql(`alter table "core"."tokens" add constraint "tokens_scope_check" check ("scope" in ('read', 'write'))`)
    this.addSql(
      `alter table "core"."tokens" add constraint "tokens_actor_kind_check" check ("actor_kind" in ('agent', 'human'))`,
    )
  }
}
