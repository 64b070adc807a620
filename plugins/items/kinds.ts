import { nameKey, sql, ToolError, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'

export const BUILT_IN_KINDS = ['epic', 'story', 'task', 'bug', 'chore'] as const
/** What items are without saying so. */
export const DEFAULT_KIND = 'task'
/** What a project's own kinds look like. */
export const KIND_PATTERN = /^[a-z0-9_-]{1,40}$/

/** The kind as it is stored, from text in any case and width. @throws ToolError invalid_argument when it cannot be one */
export function kindOf(text: string): string {
  const kind = nameKey(text)
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
  const own = await readKinds(ctx, project)
  if (own.includes(kind)) return kind
  throw new ToolError('invalid_argument', `Project ${project.key} has no kind "${text}".`, {
    field: 'kind',
    allowed: [...BUILT_IN_KINDS, ...own],
    hint: 'Give one of the allowed kinds.',
  })
}

type ProjectKey = Pick<ProjectRow, 'ownerId' | 'id'>

/** The custom kinds of a project, in their order. */
export async function readKinds(ctx: ReadContext, { ownerId, id }: ProjectKey): Promise<readonly string[]> {
  const { rows } = await sql<{ kind: string }>`
    select kind from items.kinds where owner_id = ${ownerId} and project_id = ${id} order by display_order, kind
  `.execute(ctx.db)
  return rows.map(({ kind }) => kind)
}

/**
 * Replaces the custom kinds of a project; items keep a kind that is gone.
 * @param list joined by commas; empty removes all
 * @throws ToolError invalid_argument
 */
export async function setKinds(
  ctx: WriteContext,
  { ownerId, id }: ProjectKey,
  list: string,
  field: string,
): Promise<void> {
  const kinds = kindsIn(list, field)
  await sql`delete from items.kinds where owner_id = ${ownerId} and project_id = ${id}`.execute(ctx.db)
  if (kinds.length === 0) return
  const values = kinds.map((kind, n) => ({ owner_id: ownerId, project_id: id, kind, display_order: n }))
  await ctx.db.insertInto('items.kinds').values(values).execute()
}

/** @throws ToolError invalid_argument */
function kindsIn(list: string, field: string): string[] {
  const kinds = list
    .split(',')
    .map(kind => kind.trim())
    .filter(kind => kind !== '')
  const wrong = kinds.find(kind => !KIND_PATTERN.test(kind) || (BUILT_IN_KINDS as readonly string[]).includes(kind))
  if (wrong === undefined) return [...new Set(kinds)]
  throw new ToolError('invalid_argument', `"${wrong}" cannot be a custom kind.`, {
    field,
    hint: 'Kinds have lowercase letters, digits, - and _, and the built-in ones need not be set.',
  })
}
