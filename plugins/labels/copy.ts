import { sql, type WriteContext } from 'tasuki/plugin'

export interface Copy {
  readonly ownerId: string
  readonly from: string
  readonly to: string
}

/** Gives items the labels of others, in one statement. */
export async function copyLabels(ctx: WriteContext, copies: readonly Copy[]): Promise<void> {
  await sql`
    insert into labels.item_labels (owner_id, item_id, label_id)
    select il.owner_id, c."to", il.label_id
    from jsonb_to_recordset(${JSON.stringify(copies)}::jsonb) as c ("ownerId" uuid, "from" uuid, "to" uuid)
    join labels.item_labels il on il.owner_id = c."ownerId" and il.item_id = c."from"
    on conflict do nothing
  `.execute(ctx.db)
}
