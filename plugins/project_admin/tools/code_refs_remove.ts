import { defineTool, Type } from 'tasuki/plugin'
import { removeUrl, urlParam } from '../../code_refs/index.ts'
import { itemRef } from '../../items/index.ts'

export const codeRefsRemove = defineTool({
  name: 'code_refs_remove',
  class: 'W',
  title: 'Unlink address',
  summary: 'Takes an address that code_refs_add put on an item away from it.',
  rank: 1156,
  needs: ['code_refs', 'items'],
  input: { item_ref: itemRef(), url: urlParam('Its url; code_refs_get has it.') },
  output: { url: Type.String(), changed: Type.Array(Type.String()) },
  async run(ctx, { item_ref: ref, url }) {
    return { url: await removeUrl(ctx, ref, url), changed: ['code_refs'] }
  },
})
