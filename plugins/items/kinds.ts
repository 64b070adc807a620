import { sql, ToolError, type ReadContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'

export const BUILT_IN_KINDS = ['epic', 'story', 'task', 'bug', 'chore'] as const
/** What items are without saying so. */
export const DEFAULT_KIND = 'task'
/** What a project's own kinds look like. */
export const KIND_PATTERN = /^[a-z0-9_-]{1,40}$/

/** The kind as it is stored, from text in any case and width. @throws ToolError invalid_argument when it cannot be one */
export function kindOf(text: string): string {
  const kind = text.normalize('NFKC').trim().toLowerCase()
  if (KIND_PATTERN.test(kind)) return kind
  throw new ToolError('invalid_argument', `"${text}" cannot be a kind.`, {
    field: 'kind',
    allowed: BUILT_IN_KINDS,
    hint: 'Kinds have lowercase letters, digits, - and _.',
  })
}

/** Finds a kind among the built-in ones and the project's own. @throws ToolError invalid_argument */
export async function requireKind(ctx: ReadContext, project: ProjectRow, text: string): Promise<string> {
  const kind = kindOf(text)
  if ((BUILT_IN_KINDS as readonly string[]).includes(kind)) return kind
  const { rows } = await sql<{ kind: string }>`
    select kind from items.kinds where owner_id = ${project.ownerId} and project_id = ${project.id} order by display_order, kind
  `.execute(ctx.db)
  const own = rows.map(row => row.kind)
  if (own.includes(kind)) return kind
  throw new ToolError('invalid_argument', `Project ${project.key} has no kind "${text}".`, {
    field: 'kind',
    allowed: [...BUILT_IN_KINDS, ...own],
    hint: 'item_kinds_list shows the kinds of a project.',
  })
}
