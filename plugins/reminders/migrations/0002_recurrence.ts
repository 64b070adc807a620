import { Migration } from 'tasuki/entities'

export class Recurrence extends Migration {
  override up(): void {
    this.addSql(`alter table "reminders"."reminders" add "recurrence" jsonb null`)
  }
}
