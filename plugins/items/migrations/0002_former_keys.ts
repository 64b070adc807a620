import { Migration } from 'tasuki/entities'

export class FormerKeys extends Migration {
  override up(): void {
    this.addSql(`alter table "items"."items" add "former_keys" jsonb null`)
  }
}
