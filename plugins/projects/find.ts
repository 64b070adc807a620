import { quoteValue, ToolError, type AliasedExpression, type Expression, type ReadContext } from 'tasuki/plugin'
import { access, keyFor, roleIn } from './access.ts'
import { bareKey, readKey } from './key.ts'
import { findProjectOf, findProjects, readVisibleKeys } from './project.repository.ts'
import type { ProjectReading, ProjectRow } from './project.repository.ts'

export interface ProjectDemand {
  /** The caller needs write access. */
  readonly write?: boolean
  /** The caller must be the owner. */
  readonly owner?: boolean
  /** Parameter name for errors; default project_key. */
  readonly field?: string
  readonly lock?: ProjectReading['lock']
}

/** Finds the project that a key names. @throws ToolError not_found, ambiguous_ref, forbidden */
export async function requireProject(ctx: ReadContext, key: string, demand: ProjectDemand = {}): Promise<ProjectRow> {
  return pickProject(ctx, await findProjects(ctx, key, undefined, demand), key, demand)
}

/**
 * Finds the project that a key names and reads further columns, in one statement.
 * @param columns select list over the project `p`
 * @throws ToolError not_found, ambiguous_ref, forbidden
 */
export async function readWithProject<T extends object>(
  ctx: ReadContext,
  key: string,
  columns: Expression<unknown> | AliasedExpression<unknown, string>,
  demand: ProjectDemand & ProjectReading = {},
): Promise<ProjectRow & T> {
  return pickProject(ctx, await findProjects<T>(ctx, key, columns, demand), key, demand)
}

/** Picks the project from the rows found for a key. @throws ToolError not_found, ambiguous_ref, forbidden */
export async function pickProject<T extends ProjectRow>(
  ctx: ReadContext,
  rows: readonly T[],
  key: string,
  demand: ProjectDemand = {},
): Promise<T> {
  const { field = 'project_key' } = demand
  const [project, other] = rows
  if (!project) {
    const known = await readVisibleKeys(ctx)
    throw new ToolError('not_found', `There is no project ${quoteValue(key)}.`, {
      field,
      allowed: known.map(each => keyFor(ctx, each)),
      hint: 'Give one of the allowed keys.',
    })
  }
  if (other) {
    const bare = bareKey(project)
    const candidates = access(ctx)
      .shared.filter(share => share.key === bare)
      .map(share => `${share.owner}/${share.key}`)
      .sort()
    const hint = 'Put the owner before the key, as in the allowed values.'
    const message = `You can see ${candidates.length} projects with the key ${quoteValue(bare)}.`
    throw new ToolError('ambiguous_ref', message, { field, allowed: candidates, hint })
  }
  checkRole(ctx, project, demand)
  return project
}

/** @throws ToolError forbidden if the caller's role does not meet the demand */
export function checkRole(
  ctx: ReadContext,
  project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>,
  { write, owner }: ProjectDemand,
): void {
  const role = roleIn(ctx, project)
  if (owner && role !== 'owner')
    throw new ToolError('forbidden', `Only the owner of ${project.key} may do this; you are its ${role}.`, {
      hint: 'Ask the owner of the project.',
    })
  if (write && role === 'viewer')
    throw new ToolError('forbidden', `You may look at ${project.key} but not change it.`, {
      hint: 'Ask its owner to make you an editor.',
    })
}

/** Finds the project that a key names among those of one owner, for commands. @throws ToolError not_found */
export async function requireProjectOf(
  ctx: ReadContext,
  owner: { readonly id: string; readonly email: string },
  text: string,
  field = 'project_key',
): Promise<ProjectRow> {
  const { key } = readKey(text)
  const project = await findProjectOf(ctx, owner.id, key)
  if (project) return project
  throw new ToolError('not_found', `${owner.email} has no project ${quoteValue(key)}.`, {
    field,
    hint: 'tasuki project list shows projects.',
  })
}
