import { Migration } from 'tasuki/entities'

/** A message is written for every call: what was checked and kept for each cost more than the message. */
export class CheaperMessages extends Migration {
  override up(): void {
    this.addSql(
      `alter table "conversations"."messages" drop constraint if exists "messages_owner_id_thread_id_foreign"`,
    )
    this.addSql(`drop index if exists "conversations"."messages_old"`)
  }
}
