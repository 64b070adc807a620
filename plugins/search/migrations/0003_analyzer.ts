import { Migration } from 'tasuki/entities'

/** Documents record their analyzer and text length; words of a vocabulary are candidates for typos. */
export class Analyzer extends Migration {
  override up(): void {
    this.addSql(
      `alter table "search"."documents" add column "length" int null, add column "analyzer" smallint not null default 1`,
    )
    this.addSql(`create index "documents_analyzer" on "search"."documents" ("owner_id", "analyzer")`)
    this.addSql(
      `create table "search"."words" ("owner_id" uuid not null, "word" text not null, "stem" text not null, primary key ("owner_id", "word"))`,
    )
  }
}
