import { defineTool, sql, Type } from 'tasuki/plugin'
import { BUILT_IN_KINDS } from '../../items/index.ts'
import { keyIs, oneProject, projectColumns, projectKey, type ProjectRow } from '../../projects/index.ts'

const Kind = Type.Object({
  kind: Type.String(),
  label: Type.Optional(Type.String()),
  built_in: Type.Boolean(),
  /** Items of the project that have it, archived ones included. */
  items: Type.Integer(),
})

interface Row extends ProjectRow {
  readonly kinds: readonly { readonly kind: string; readonly label: string | null }[]
  readonly counts: Readonly<Record<string, number>>
}

export const itemKindsList = defineTool({
  name: 'item_kinds_list',
  class: 'R',
  title: 'List item kinds',
  summary: 'Lists the built-in and custom kinds of a project, each with its number of items.',
  rank: 860,
  input: Type.Object({ project_key: projectKey() }, { additionalProperties: false }),
  output: Type.Object({ kinds: Type.Array(Kind) }),
  async run(ctx, { project_key }) {
    const { rows } = await sql<Row>`
      select ${projectColumns(ctx, 'p')},
        coalesce((select json_agg(json_build_object('kind', k.kind, 'label', k.label) order by k.display_order, k.kind)
          from items.kinds k where k.owner_id = p.owner_id and k.project_id = p.id), '[]') as kinds,
        coalesce((select json_object_agg(c.kind, c.items) from (
          select i.kind, count(*)::int as items from items.items i
          where i.owner_id = p.owner_id and i.project_id = p.id group by i.kind) c), '{}') as counts
      from projects.projects p where ${keyIs(ctx, project_key)} limit 2
    `.execute(ctx.db)
    const { kinds, counts } = await oneProject(ctx, rows, project_key)
    return {
      kinds: [
        ...BUILT_IN_KINDS.map(kind => ({ kind, built_in: true, items: counts[kind] ?? 0 })),
        ...kinds.map(({ kind, label }) => ({
          kind,
          ...(label !== null && { label }),
          built_in: false,
          items: counts[kind] ?? 0,
        })),
      ],
    }
  },
})
