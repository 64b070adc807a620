import { defineTool, Type } from 'tasuki/plugin'
import { itemRef, listRevisions, revisionEntry } from '../../items/index.ts'

/** Maximum number of revisions in a list. The tool has no paging, so the limit is more than any note should have. */
const MAX_REVISIONS = 1000

export const noteRevisionsList = defineTool({
  name: 'note_revisions_list',
  class: 'R',
  title: 'List revisions',
  summary: 'Lists the former versions of a note, newest first; note_revisions_get reads one.',
  rank: 740,
  rows: 'revisions',
  input: { item_ref: itemRef() },
  output: { revisions: Type.Array(revisionEntry), has_more: Type.Boolean() },
  async run(ctx, { item_ref: ref }) {
    const found = await listRevisions(ctx, ref, MAX_REVISIONS + 1)
    return { revisions: found.slice(0, MAX_REVISIONS), has_more: found.length > MAX_REVISIONS }
  },
})
