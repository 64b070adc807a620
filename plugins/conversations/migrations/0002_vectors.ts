import { Migration } from 'tasuki/entities'

export class Vectors extends Migration {
  override up(): void {
    this.addSql(
      `alter table "conversations"."threads" add column "code" varbit null, add column "vector" real[] null, add column "model" text null`,
    )
    this.addSql(
      `alter table "conversations"."messages" add column "title" text null, add column "code" varbit null, add column "vector" real[] null, add column "model" text null`,
    )
  }
}
