import { defineTool, recordId, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { findItems, type ItemRow } from '../../items/index.ts'
import { unlinkItems, type Link } from '../link.ts'
import { findRelation } from '../relation.repository.ts'
import type { RelationRow, RelationType } from '../relation.ts'

export const relationsDelete = defineTool({
  name: 'relations_delete',
  class: 'WD',
  title: 'Delete link',
  summary: 'Deletes a relation between two items; the items stay.',
  rank: 670,
  input: { relation_id: recordId('Id; see relations_list.') },
  output: {
    deleted: Type.Boolean(),
    id: Type.String(),
    relation_type: Type.String(),
    source_ref: Type.String(),
    target_ref: Type.String(),
  },
  async confirm(ctx, { relation_id: id }) {
    const { row } = await requireDeletable(ctx, id, { lock: false })
    return describeDeletion(row)
  },
  async run(ctx, { relation_id: id }) {
    const { row, link } = await requireDeletable(ctx, id, { lock: true })
    // The id of a parent link is that of the child, which may have another parent by now.
    ctx.client.requireAgreed(describeDeletion(row))
    const { relation_type, source_ref, target_ref } = row
    await unlinkItems(ctx, [link], relation_type as RelationType)
    return { deleted: true, id, relation_type, source_ref, target_ref }
  },
})

function describeDeletion({ relation_type: type, source_ref: from, target_ref: to }: RelationRow): string {
  return `Delete the relation ${type} from ${from} to ${to}`
}

/** @throws ToolError not_found; forbidden if the caller may not write both items */
async function requireDeletable(
  ctx: ReadContext,
  id: string,
  { lock }: { readonly lock: boolean },
): Promise<{ row: RelationRow; link: Link }> {
  const row = await findRelation(ctx, id)
  if (!row)
    throw new ToolError('not_found', `There is no relation ${id}.`, {
      field: 'relation_id',
      hint: 'relations_list shows the relations of an item.',
    })
  const found = await findItems(ctx, [row.source_ref, row.target_ref], { write: true, lock, field: 'relation_id' })
  const [source, target] = found.map(end => {
    if ('error' in end) throw end.error
    return end.item
  }) as [ItemRow, ItemRow]
  return { row, link: { source, target } }
}
