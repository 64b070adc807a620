import { defineTool, Type } from 'tasuki/plugin'
import { BUILT_IN_KINDS } from '../../items/index.ts'
import { projectKey } from '../../projects/index.ts'
import { readProjectKinds } from '../project.repository.ts'

const Kind = Type.Object({
  kind: Type.String(),
  label: Type.Optional(Type.String()),
  built_in: Type.Boolean(),
  /** Number of items of this kind in the project, including archived ones. */
  items: Type.Integer(),
})

export const itemKindsList = defineTool({
  name: 'item_kinds_list',
  class: 'R',
  title: 'List item kinds',
  summary: 'Lists the built-in and custom kinds of a project, each with its number of items.',
  rank: 860,
  input: { project_key: projectKey() },
  output: { kinds: Type.Array(Kind) },
  async run(ctx, { project_key }) {
    const { kinds, counts: found } = await readProjectKinds(ctx, project_key)
    // A kind may be called `constructor`.
    const counts = new Map(Object.entries(found))
    return {
      kinds: [
        ...BUILT_IN_KINDS.map(kind => ({ kind, built_in: true, items: counts.get(kind) ?? 0 })),
        ...kinds.map(({ kind, label }) => ({
          kind,
          ...(label !== null && { label }),
          built_in: false,
          items: counts.get(kind) ?? 0,
        })),
      ],
    }
  },
})
