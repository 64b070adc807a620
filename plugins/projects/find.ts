import { fixedPlan, reference, sql, ToolError, type ReadContext, type RawBuilder } from 'tasuki/plugin'
import { access, keyColumn, keyFor, keyIsOwn, roleIn, visible } from './access.ts'

/** A project as tools need it. */
export interface ProjectRow {
  readonly ownerId: string
  readonly id: string
  /** How the caller names it: `KEY`, or `owner@example.com/KEY` where that means another project; what is stored takes `bareKey`. */
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly isInbox: boolean
  readonly estimateUnit: 'none' | 'points' | 'hours'
  readonly features: Readonly<Record<string, boolean>>
  readonly archived: boolean
}

/** The built-in project that every user has. */
export const INBOX = 'INBOX'

/** The `project_key` parameter. */
export const projectKey = (description = 'Project key.') => reference(description)

/** Columns of `ProjectRow`, from a table alias. */
export const projectColumns = (ctx: ReadContext, alias: string): RawBuilder<ProjectRow> =>
  sql`${keyColumn(ctx, alias)} as key, ${sql.raw(
    `${alias}.owner_id as "ownerId", ${alias}.id, ${alias}.name, ${alias}.description, ${alias}.is_inbox as "isInbox", ` +
      `${alias}.estimate_unit as "estimateUnit", ${alias}.features, ${alias}.archived_at is not null as archived`,
  )}`

/**
 * Condition on the projects table for a key as callers write it, in any case and width. A bare key means the caller's own project, and
 * reaches shared ones only where the caller owns none of that key; `owner@example.com/KEY` means the one of that owner.
 */
export function keyIs(ctx: ReadContext, text: string, alias = 'p'): RawBuilder<boolean> {
  const { key, owner } = readKey(text)
  const seen = visible(ctx, alias, 'id')
  const named = sql<boolean>`${seen} and ${sql.ref(`${alias}.key`)} = ${key}`
  if (owner === null)
    return keyIsOwn(ctx, key) ? sql<boolean>`${named} and ${sql.ref(`${alias}.owner_id`)} = ${ctx.actor.userId}` : named
  return sql<boolean>`${named} and ${sql.ref(`${alias}.owner_id`)} = (select id from core.users where email = ${owner})`
}

export interface ProjectDemand {
  /** The caller is going to change something in it. */
  readonly write?: boolean
  /** Only the owner may. */
  readonly owner?: boolean
  /** Name of the parameter, for the error; default project_key. */
  readonly field?: string
}

/** Finds the one project of a key. @throws ToolError not_found, ambiguous_ref, forbidden */
export async function requireProject(ctx: ReadContext, key: string, demand: ProjectDemand = {}): Promise<ProjectRow> {
  const { rows } =
    await sql<ProjectRow>`${fixedPlan} select ${projectColumns(ctx, 'p')} from projects.projects p where ${keyIs(ctx, key)} limit 2`.execute(
      ctx.db,
    )
  return oneProject(ctx, rows, key, demand)
}

/** Picks the project out of the rows found for a key. @throws ToolError not_found, ambiguous_ref, forbidden */
export async function oneProject<T extends ProjectRow>(
  ctx: ReadContext,
  rows: readonly T[],
  key: string,
  demand: ProjectDemand = {},
): Promise<T> {
  const { field = 'project_key' } = demand
  const [project, other] = rows
  if (!project) {
    const known = await visibleKeys(ctx)
    throw new ToolError('not_found', `There is no project ${key}.`, {
      field,
      allowed: known,
      hint: 'Give one of the allowed keys.',
    })
  }
  if (other) {
    const { projects } = ctx.actor
    const bare = bareKey(project)
    const candidates = access(ctx)
      .shared.filter(share => share.key === bare && (projects?.includes(share.projectId) ?? true))
      .map(share => `${share.owner}/${share.key}`)
      .sort()
    throw new ToolError('ambiguous_ref', `You can see ${candidates.length} projects with the key ${bare}.`, {
      field,
      allowed: candidates,
      hint: 'Put the owner before the key, as in the allowed values.',
    })
  }
  checkRole(ctx, project, demand)
  return project
}

/** @throws ToolError forbidden when the caller's role does not allow what is demanded. */
export function checkRole(
  ctx: ReadContext,
  project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>,
  { write, owner }: ProjectDemand,
): void {
  const role = roleIn(ctx, project)
  if (owner && role !== 'owner') {
    throw new ToolError('forbidden', `Only the owner of ${project.key} may do this; you are its ${role}.`, {
      hint: 'Ask the owner of the project.',
    })
  }
  if (write && role === 'viewer') {
    throw new ToolError('forbidden', `You may look at ${project.key} but not change it.`, {
      hint: 'Ask its owner to make you an editor.',
    })
  }
}

/** A project that the caller may see, with the address of its owner. */
export interface ListedProject extends ProjectRow {
  readonly owner: string
}

/** Reads every project that the caller may see, archived ones too: their own first, the Inbox at the head. */
export async function readProjects(ctx: ReadContext): Promise<readonly ListedProject[]> {
  const { rows } = await sql<ListedProject>`
    select ${projectColumns(ctx, 'p')}, u.email as owner from projects.projects p join core.users u on u.id = p.owner_id
    where ${visible(ctx, 'p', 'id')} order by p.owner_id <> ${ctx.actor.userId}, p.is_inbox desc, p.key, u.email
  `.execute(ctx.db)
  return rows
}

/** Finds the project of a key among those of one owner, for commands. @throws ToolError not_found */
export async function requireProjectOf(
  ctx: ReadContext,
  owner: { readonly id: string; readonly email: string },
  text: string,
  field = 'project_key',
): Promise<ProjectRow> {
  const { key } = readKey(text)
  const { rows } = await sql<ProjectRow>`
    select ${projectColumns(ctx, 'p')} from projects.projects p where p.owner_id = ${owner.id} and p.key = ${key}
  `.execute(ctx.db)
  if (rows[0]) return rows[0]
  throw new ToolError('not_found', `${owner.email} has no project ${key}.`, {
    field,
    hint: 'tasuki project list shows projects.',
  })
}

async function visibleKeys(ctx: ReadContext): Promise<string[]> {
  const { rows } = await sql<{ ownerId: string; key: string }>`
    select p.owner_id as "ownerId", p.key from projects.projects p where ${visible(ctx, 'p', 'id')} and p.archived_at is null
    order by p.is_inbox desc, p.key limit 20
  `.execute(ctx.db)
  return rows.map(row => keyFor(ctx, row))
}

/** The key alone, as it is stored, of a project that the caller may name by its owner. */
export function bareKey({ key }: Pick<ProjectRow, 'key'>): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

/** Splits `owner@example.com/KEY`; keys are upper case, and people type them in any case and width. */
export function readKey(text: string): { readonly key: string; readonly owner: string | null } {
  const plain = text.normalize('NFKC').trim()
  const slash = plain.lastIndexOf('/')
  return {
    key: plain.slice(slash + 1).toUpperCase(),
    owner: slash < 0 ? null : plain.slice(0, slash).toLowerCase(),
  }
}
