import { Migration } from '@mikro-orm/migrations'

export class AccessEnded extends Migration {
  override up(): void {
    this.addSql(`alter table "core"."users" add column "access_ended_at" timestamptz null`)
  }
}
