import { defineTool, Type } from 'tasuki/plugin'
import { itemRef, readWithItem } from '../../items/index.ts'
import { foundReferences } from '../reference.repository.ts'

const Reference = Type.Object({
  kind: Type.String(),
  host: Type.String(),
  repository: Type.String(),
  id: Type.String(),
  title: Type.String(),
  url: Type.String(),
  author: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  branch: Type.Optional(Type.String()),
  occurred_at: Type.String(),
})

export const codeRefsGet = defineTool({
  name: 'code_refs_get',
  class: 'R',
  title: 'Get code references',
  summary: 'Lists commits and pull requests that mention an item, newest first.',
  rank: 820,
  rows: 'code_refs',
  input: { item_ref: itemRef() },
  output: { code_refs: Type.Array(Reference) },
  async run(ctx, { item_ref: ref }) {
    const { found } = await readWithItem<{ found: (typeof Reference)['static'][] | null }>(
      ctx,
      ref,
      foundReferences(ctx),
    )
    return { code_refs: found ?? [] }
  },
})
