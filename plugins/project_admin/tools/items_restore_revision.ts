import { defineTool, recordId, Type } from 'tasuki/plugin'
import { itemRef, reasonParam, restoreRevision, readWritten, writtenOutput } from '../../items/index.ts'

export const itemsRestoreRevision = defineTool({
  name: 'items_restore_revision',
  class: 'W',
  title: 'Restore version',
  summary:
    'Gives an item the title and body of a former version, such as the revision_id that items_rewrite_detail returned; what it has now is kept as a revision.',
  rank: 1104,
  needs: ['items'],
  input: {
    item_ref: itemRef(),
    revision_id: recordId('Id of the version; items_rewrite_detail returns one.'),
    reason: reasonParam,
  },
  output: { ...writtenOutput.properties, revision_id: Type.Optional(Type.String()) },
  async run(ctx, { item_ref, revision_id, reason = null }) {
    const { draft, revisionId } = await restoreRevision(ctx, item_ref, revision_id, reason)
    return { ...(await readWritten(ctx, draft)), ...(revisionId !== undefined && { revision_id: revisionId }) }
  },
})
