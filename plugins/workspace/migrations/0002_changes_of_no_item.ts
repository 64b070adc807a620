import { Migration } from 'tasuki/entities'

export class ChangesOfNoItem extends Migration {
  override up(): void {
    this.addSql(
      `alter table "workspace"."activities" alter column "item_id" drop not null, alter column "project_id" drop not null`,
    )
  }
}
