import { nameKey, quoteName, ToolError, type OwnedKey, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { readKinds, replaceKinds } from './kind.repository.ts'

export const BUILT_IN_KINDS = ['epic', 'story', 'task', 'bug', 'chore'] as const
/** The default kind. */
export const DEFAULT_KIND = 'task'
/** The pattern of a project's own kinds. */
const KIND_PATTERN = /^[a-z0-9_-]{1,40}$/

/** Normalizes a kind, in any case and width, to its stored form. @throws ToolError invalid_argument for text that cannot be a kind */
export function kindOf(text: string): string {
  const kind = nameKey(text)
  if (KIND_PATTERN.test(kind)) return kind
  throw new ToolError('invalid_argument', `${quoteName(text)} cannot be a kind.`, {
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
  throw new ToolError('invalid_argument', `Project ${project.key} has no kind ${quoteName(text)}.`, {
    field: 'kind',
    allowed: [...BUILT_IN_KINDS, ...own],
    hint: 'Give one of the allowed kinds.',
  })
}

/**
 * Replaces the custom kinds of a project; items keep removed kinds.
 * @param list separated by commas; empty removes all
 * @throws ToolError invalid_argument
 */
export async function setKinds(ctx: WriteContext, project: OwnedKey, list: string, field: string): Promise<void> {
  await replaceKinds(ctx, project, kindsIn(list, field))
}

/** @throws ToolError invalid_argument */
function kindsIn(list: string, field: string): string[] {
  const kinds = list
    .split(',')
    .map(kind => kind.trim())
    .filter(kind => kind !== '')
  const wrong = kinds.find(kind => !KIND_PATTERN.test(kind) || (BUILT_IN_KINDS as readonly string[]).includes(kind))
  if (wrong === undefined) return [...new Set(kinds)]
  throw new ToolError('invalid_argument', `${quoteName(wrong)} cannot be a custom kind.`, {
    field,
    hint: 'Kinds have lowercase letters, digits, - and _, and the built-in ones need not be set.',
  })
}
