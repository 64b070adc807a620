import { Migration } from 'tasuki/entities'
import { CREATE_VECTORS } from '../embedding/vector-store.repository.ts'

export class Init extends Migration {
  override up(): void {
    this.addSql(
      `create table "search"."documents" ("owner_id" uuid not null, "item_id" uuid not null, "project_id" uuid not null, "tsv" tsvector not null, "code" varbit null, "vector" real[] null, "model" text null, "indexed_at" timestamptz not null, primary key ("owner_id", "item_id"))`,
    )
    this.addSql(`create index "documents_tsv" on "search"."documents" using gin (owner_id, tsv)`)
    this.addSql(`create index "documents_unembedded" on "search"."documents" (owner_id, item_id) where model is null`)
    this.addSql(
      `alter table "search"."documents" add constraint "documents_owner_id_item_id_foreign" foreign key ("owner_id", "item_id") references "items"."items" ("owner_id", "id") on update no action on delete cascade`,
    )
    // No entity: the table exists only with pgvector.
    this.addSql(CREATE_VECTORS)
  }
}
