import { Migration } from 'tasuki/entities'

export class ConfirmedAt extends Migration {
  override up(): void {
    this.addSql(`alter table "portal"."sessions" add column "confirmed_at" timestamptz null`)
  }
}
