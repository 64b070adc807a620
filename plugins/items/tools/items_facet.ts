import { choice, defineTool, Type } from 'tasuki/plugin'
import { projectKey, requireProject } from '../../projects/index.ts'
import { countByFacet, FACETS } from '../item-list.repository.ts'
import { filterMisnomers, inProject, listParams } from '../list.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { explainEmpty } from '../query/explain-empty.repository.ts'
import { parseQuery } from '../query/parse.ts'

export const itemsFacet = defineTool({
  name: 'items_facet',
  class: 'R',
  title: 'Count items',
  summary: 'Counts items of all types by one property; q=type:task counts tasks.',
  rank: 610,
  input: {
    facet_by: choice(FACETS, { description: 'Property.' }),
    q: listParams.q,
    project_key: Type.Optional(projectKey('Overrides project in q.')),
  },
  misnomers: filterMisnomers,
  output: {
    facet_by: Type.String(),
    facets: Type.Array(Type.Object({ value: Type.String({ description: 'none = not set.' }), count: Type.Integer() })),
    total: Type.Integer(),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  async run(ctx, { facet_by: facet, q, project_key: key }) {
    // The explicit project replaces the one in the query; both could contradict each other.
    const query = q === undefined ? null : compileFilter(ctx, q, key === undefined ? {} : { without: 'project' })
    const rows = await countByFacet(ctx, facet, query, key === undefined ? null : await inProject(ctx, key))
    if (rows.length === 0 && key !== undefined) await requireProject(ctx, key)
    const facets = rows.map(row => ({ value: row.value ?? 'none', count: row.count }))
    const warnings = rows.length === 0 && q !== undefined ? await explainEmpty(ctx, parseQuery(q)) : []
    const total = facets.reduce((sum, { count }) => sum + count, 0)
    return { facet_by: facet, facets, total, ...(warnings.length > 0 && { warnings }) }
  },
})
