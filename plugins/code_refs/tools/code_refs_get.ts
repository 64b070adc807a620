import { defineTool, iso, sql, Type } from 'tasuki/plugin'
import { itemRef, readWithItem } from '../../items/index.ts'

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
  input: Type.Object({ item_ref: itemRef() }, { additionalProperties: false }),
  output: Type.Object({ code_refs: Type.Array(Reference) }),
  async run(ctx, { item_ref: ref }) {
    const { found } = await readWithItem<{ found: (typeof Reference)['static'][] | null }>(
      ctx,
      ref,
      sql`(select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('kind', r.kind, 'host', l.host, 'repository', l.repository, 'id', r.external_id,
          'title', r.title, 'url', r.url, 'author', r.author, 'state', r.state, 'branch', r.branch, 'occurred_at', ${iso('r.occurred_at')}))
          order by r.occurred_at desc, r.external_id)
        from code_refs.references r join code_refs.links l on l.owner_id = r.owner_id and l.id = r.link_id
        where r.owner_id = i.owner_id and r.item_id = i.id) as found`,
    )
    return { code_refs: found ?? [] }
  },
})
