import { defineTool, recordId, Type } from 'tasuki/plugin'
import { itemRef, readRevision } from '../../items/index.ts'

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
  rank: 750,
  input: { item_ref: itemRef(), revision_id: recordId('From note_revisions_list.') },
  output: { item_ref: Type.String(), revision: Revision },
  run: (ctx, { item_ref, revision_id }) => readRevision(ctx, item_ref, revision_id),
})
