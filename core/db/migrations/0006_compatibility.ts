import { Migration } from '@mikro-orm/migrations'

export class Compatibility extends Migration {
  override up(): void {
    this.addSql(
      `create table "core"."migration_compatibility" ("migration" text not null, "compatible_from" text not null, primary key ("migration"))`,
    )
  }
}
