import { sql } from 'tasuki/plugin'
import { itemMoves } from '../items/points.ts'

/** A value of an item that moves, and the field of that key in the new project. */
interface CarriedValue {
  readonly itemId: string
  readonly fieldId: string
  readonly key: string
  readonly value: string
  /** Null = the project has no such field. */
  readonly there: string | null
}

/** Values go to the active field of the same key. */
export const moveFields = itemMoves(async (ctx, moves) => {
  const { ownerId, project } = moves[0]!.draft
  const { rows } = await sql<CarriedValue>`
    select v.item_id as "itemId", f.id as "fieldId", f.field_key as key, v.value, t.id as there
    from custom_fields.values v join custom_fields.fields f on f.owner_id = v.owner_id and f.id = v.field_id
    left join custom_fields.fields t on t.owner_id = f.owner_id and t.project_id = ${project.id} and t.field_key = f.field_key and t.is_active
    where v.owner_id = ${ownerId} and v.item_id in (${sql.join(moves.map(({ draft }) => draft.id))})
    order by f.display_order, f.field_key
  `.execute(ctx.db)
  if (rows.length === 0) return undefined
  const values = Map.groupBy(rows, row => row.itemId)
  for (const { draft, keep, lose } of moves) {
    for (const { key, value, there } of values.get(draft.id) ?? []) {
      if (there) keep(`custom_fields.${key}`, value, value)
      else lose(`custom_fields.${key}`, value)
    }
  }
  return async (write, drafts) => {
    const carried = drafts.flatMap(({ id }) => values.get(id) ?? [])
    const given = sql`jsonb_to_recordset(${JSON.stringify(carried)}::jsonb) as c ("itemId" uuid, "fieldId" uuid, there uuid)`
    const same = sql`v.owner_id = ${ownerId} and v.item_id = c."itemId" and v.field_id = c."fieldId"`
    if (carried.some(({ there }) => there !== null)) {
      await sql`
        update custom_fields.values v set field_id = c.there from ${given} where ${same} and c.there is not null
      `.execute(write.db)
    }
    if (carried.some(({ there }) => there === null)) {
      await sql`delete from custom_fields.values v using ${given} where ${same} and c.there is null`.execute(write.db)
    }
  }
})
