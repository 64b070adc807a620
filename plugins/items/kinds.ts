import { sql, ToolError, type ReadContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { BUILT_IN_KINDS } from './write-params.ts'

/** Tells whether a kind needs no look-up. */
export function isBuiltIn(kind: string): boolean {
  return (BUILT_IN_KINDS as readonly string[]).includes(kind)
}

/** Checks a kind against the built-in ones and the project's own. @throws ToolError invalid_argument */
export async function requireKind(ctx: ReadContext, project: ProjectRow, kind: string): Promise<void> {
  if (isBuiltIn(kind)) return
  const { rows } = await sql<{ kind: string }>`
    select kind from items.kinds where owner_id = ${project.ownerId} and project_id = ${project.id} order by display_order, kind
  `.execute(ctx.db)
  const own = rows.map(row => row.kind)
  if (own.includes(kind)) return
  throw new ToolError('invalid_argument', `Project ${project.key} has no kind "${kind}".`, {
    field: 'kind',
    allowed: [...BUILT_IN_KINDS, ...own],
    hint: 'item_kinds_list shows the kinds of a project.',
  })
}
