import { defineTool, Type } from 'tasuki/plugin'
import { itemRef, readWithItem } from '../../items/index.ts'
import { foundReferences } from '../reference.repository.ts'
import { codeRef, describeUrl, type CodeRef, type StoredUrl } from '../url.ts'

export const codeRefsGet = defineTool({
  name: 'code_refs_get',
  class: 'R',
  title: 'Get code references',
  summary: 'Lists commits and pull requests that mention an item, newest first.',
  rank: 820,
  rows: 'code_refs',
  input: { item_ref: itemRef() },
  output: { code_refs: Type.Array(codeRef) },
  async run(ctx, { item_ref: ref }) {
    const { found, urls } = await readWithItem<{ found: CodeRef[] | null; urls: StoredUrl[] | null }>(
      ctx,
      ref,
      foundReferences(ctx),
    )
    const references = found ?? []
    // Merges a pull request that was added by hand with the same one from its host.
    const known = new Set(references.map(({ url }) => url))
    const all = [...references, ...(urls ?? []).filter(({ url }) => !known.has(url)).map(describeUrl)]
    return {
      code_refs: all.toSorted((a, b) => (a.occurred_at < b.occurred_at ? 1 : a.occurred_at > b.occurred_at ? -1 : 0)),
    }
  },
})
