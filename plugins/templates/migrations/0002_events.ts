import { Migration } from 'tasuki/entities'

export class Events extends Migration {
  override up(): void {
    this.addSql(`alter table "templates"."templates" add "makes" text not null default 'task'`)
    this.addSql(
      `alter table "templates"."templates" add constraint "templates_makes_check" check ("makes" in ('task', 'event'))`,
    )
  }
}
