import { Migration } from 'tasuki/entities'

/** Texts without words had zero vectors. Rows keep their model, so that they are not embedded again. */
export class NoEmptyVectors extends Migration {
  override up(): void {
    for (const table of ['threads', 'messages'])
      this.addSql(
        `update "conversations"."${table}" set "code" = null, "vector" = null where 0 = all ("vector") or 'NaN' = any ("vector")`,
      )
  }
}
