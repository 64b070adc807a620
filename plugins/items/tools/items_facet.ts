import { choice, defineTool, guarded, sql, Type, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { keyColumn, projectKey, requireProject, visible } from '../../projects/index.ts'
import { archivedRule, compileFilter, isSomeday } from '../filters.ts'
import { itemJoins, priorityName } from '../find.ts'
import { inProject } from '../list.ts'
import { allOf } from '../query/filter-sql.ts'

const FACETS = ['state', 'priority', 'agile_kind', 'project', 'schedule_kind'] as const
type Facet = (typeof FACETS)[number]

const Input = Type.Object(
  {
    facet_by: choice(FACETS, { description: 'What to count by.' }),
    q: Type.Optional(guarded(Type.String({ description: 'Filter query, see search_help.' }), { maxLength: 2000 })),
    project_key: Type.Optional(projectKey('Overrides project in q.')),
  },
  { additionalProperties: false },
)

export const itemsFacet = defineTool({
  name: 'items_facet',
  class: 'R',
  title: 'Count items',
  summary: 'Counts items by one property. schedule_kind is dated, anytime or someday.',
  rank: 610,
  input: Input,
  output: Type.Object({
    facet_by: Type.String(),
    facets: Type.Array(Type.Object({ value: Type.String({ description: 'none = not set.' }), count: Type.Integer() })),
    total: Type.Integer(),
  }),
  async run(ctx, { facet_by: facet, q, project_key: key }) {
    // The explicit project takes the place of the one in the query instead of contradicting it.
    const query = q === undefined ? null : compileFilter(ctx, q, key === undefined ? {} : { without: 'project' })
    const conditions = [
      visible(ctx, 'i'),
      archivedRule(query),
      ...(query?.where ? [query.where] : []),
      ...(key === undefined ? [] : [await inProject(ctx, key)]),
    ]
    const { rows } = await sql<{ value: string | null; count: number }>`
      select ${valueOf(ctx, facet)} as value, count(*)::int as count from items.items i ${itemJoins}
      where ${allOf(conditions)} group by 1 order by 2 desc, 1
    `.execute(ctx.db)
    if (rows.length === 0 && key !== undefined) await requireProject(ctx, key)
    const facets = rows.map(row => ({ value: row.value ?? 'none', count: row.count }))
    return { facet_by: facet, facets, total: facets.reduce((sum, { count }) => sum + count, 0) }
  },
})

function valueOf(ctx: ReadContext, facet: Facet): RawBuilder<string> {
  switch (facet) {
    case 'state':
      return sql`s.name`
    case 'priority':
      return priorityName
    case 'agile_kind':
      return sql`i.kind`
    case 'project':
      return keyColumn(ctx, 'p')
    case 'schedule_kind':
      return sql`case when i.due_date is not null or i.start_date is not null then 'dated'
        when ${isSomeday(ctx)} then 'someday' else 'anytime' end`
  }
}
