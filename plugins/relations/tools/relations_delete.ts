import { defineTool, recordId, sql, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { findItems, type ItemRow } from '../../items/index.ts'
import { visible } from '../../projects/index.ts'
import { unlinkItems } from '../link.ts'
import { selectRelations, type RelationRow, type RelationType } from '../relation.ts'

const Input = Type.Object({ relation_id: recordId('From relations_list.') }, { additionalProperties: false })

export const relationsDelete = defineTool({
  name: 'relations_delete',
  class: 'WD',
  title: 'Delete link',
  summary: 'Deletes a relation between two items; the items stay.',
  rank: 670,
  input: Input,
  output: Type.Object({
    deleted: Type.Boolean(),
    id: Type.String(),
    relation_type: Type.String(),
    source_ref: Type.String(),
    target_ref: Type.String(),
  }),
  async confirm(ctx, { relation_id: id }) {
    const { relation_type: type, source_ref: from, target_ref: to } = await requireRelation(ctx, id)
    return `Delete the relation ${type} from ${from} to ${to}`
  },
  async run(ctx, { relation_id: id }) {
    const row = await requireRelation(ctx, id)
    const [source, target] = await findItems(ctx, [row.source_ref, row.target_ref], {
      write: true,
      lock: true,
      field: 'relation_id',
    })
    const ends = [source!, target!].map(found => {
      if ('error' in found) throw found.error
      return found.item
    }) as [ItemRow, ItemRow]
    await unlinkItems(ctx, [{ source: ends[0], target: ends[1] }], row.relation_type as RelationType)
    return {
      deleted: true,
      id,
      relation_type: row.relation_type,
      source_ref: row.source_ref,
      target_ref: row.target_ref,
    }
  },
})

async function requireRelation(ctx: ReadContext, id: string): Promise<RelationRow> {
  const { rows } = await selectRelations(
    sql<boolean>`r.id = ${id} and ${visible(ctx, 'si')} and ${visible(ctx, 'ti')}`,
  ).execute(ctx.db)
  const [row] = rows
  if (!row)
    throw new ToolError('not_found', `There is no relation ${id}.`, {
      field: 'relation_id',
      hint: 'relations_list shows the relations of an item.',
    })
  return row
}
