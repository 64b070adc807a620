import { Migration } from 'tasuki/entities'

export class AuthorName extends Migration {
  override up(): void {
    this.addSql(`alter table "discussions"."discussions" add column "author_name" text null`)
  }
}
