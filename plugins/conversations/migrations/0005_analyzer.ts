import { Migration } from 'tasuki/entities'

/** Records which analyzer indexed a text. */
export class Analyzer extends Migration {
  override up(): void {
    for (const table of ['threads', 'messages']) {
      this.addSql(`alter table "conversations"."${table}" add column "analyzer" smallint not null default 1`)
      this.addSql(`create index "${table}_analyzer" on "conversations"."${table}" ("analyzer", "owner_id")`)
    }
  }
}
