import { defineTool, guarded, Type } from 'tasuki/plugin'
import { addUrl, codeRef, urlParam } from '../../code_refs/index.ts'
import { itemRef } from '../../items/index.ts'

export const codeRefsAdd = defineTool({
  name: 'code_refs_add',
  class: 'W',
  title: 'Link address',
  summary:
    'Puts a web address on an item: a pull request, a commit or any page. Commits and pull requests that mention the item come by themselves. code_refs_get lists them.',
  rank: 1154,
  needs: ['code_refs', 'items'],
  input: {
    item_ref: itemRef(),
    url: urlParam('Address, https://…'),
    title: Type.Optional(
      guarded(Type.String({ description: 'Default: the address.' }), { minLength: 1, maxLength: 300 }),
    ),
  },
  output: { code_ref: codeRef, changed: Type.Array(Type.String()) },
  async run(ctx, { item_ref: ref, url, title }) {
    return { code_ref: await addUrl(ctx, ref, url, title ?? null), changed: ['code_refs'] }
  },
})
