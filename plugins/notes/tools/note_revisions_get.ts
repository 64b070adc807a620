import { defineTool, recordId, Type } from 'tasuki/plugin'
import { itemRef, itemRevision, readRevision } from '../../items/index.ts'

export const noteRevisionsGet = defineTool({
  name: 'note_revisions_get',
  class: 'R',
  title: 'Get revision',
  summary: 'Reads one former version of a note. Restore it with items_rewrite_detail.',
  rank: 750,
  input: { item_ref: itemRef(), revision_id: recordId('Id; see note_revisions_list.') },
  output: { item_ref: Type.String(), revision: itemRevision },
  run: (ctx, { item_ref, revision_id }) => readRevision(ctx, item_ref, revision_id),
})
