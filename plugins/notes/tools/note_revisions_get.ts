import { defineTool, iso, sql, ToolError, Type, recordId } from 'tasuki/plugin'
import { itemRef, readBeside } from '../../items/index.ts'

const Input = Type.Object(
  { item_ref: itemRef(), revision_id: recordId('From note_revisions_list.') },
  { additionalProperties: false },
)
const Revision = Type.Object({
  revision_id: Type.String(),
  created_at: Type.String(),
  title: Type.String(),
  body: Type.String(),
})

export const noteRevisionsGet = defineTool({
  name: 'note_revisions_get',
  class: 'R',
  title: 'Get revision',
  summary: 'Reads one former version of a note. Restore it with items_rewrite_detail.',
  rank: 207,
  input: Input,
  output: Type.Object({ item_ref: Type.String(), revision: Revision }),
  async run(ctx, { item_ref: ref, revision_id: id }) {
    const found = await readBeside<{ revision: (typeof Revision)['static'] | null }>(
      ctx,
      ref,
      sql`(select jsonb_build_object('revision_id', r.id, 'created_at', ${iso('r.created_at')}, 'title', r.title, 'body', r.detail)
        from items.revisions r where r.owner_id = i.owner_id and r.item_id = i.id and r.id = ${id}) as revision`,
    )
    if (!found.revision) {
      throw new ToolError('not_found', `${found.key}#${found.number} has no revision ${id}.`, {
        field: 'revision_id',
        hint: 'note_revisions_list shows its revisions.',
      })
    }
    return { item_ref: `${found.key}#${found.number}`, revision: found.revision }
  },
})
