import { anyOf, compare, deleteWhere, idIs, nameKey, quoteName, sql, ToolError, updateWhere, uuid } from 'tasuki/plugin'
import type { OwnedKey, ReadContext, WriteContext } from 'tasuki/plugin'
import { pathKey, readPlaces } from '../items/index.ts'
import { checkRole, projectColumns, requireFeature, visible, type ProjectRow } from '../projects/index.ts'
import { isActive, pickSprint, sprints } from './placement.repository.ts'
import type { SprintRow } from './sprint.ts'

export interface ProjectSprints {
  readonly project: ProjectRow
  readonly sprints: readonly SprintRow[]
}

/** Reads all sprints of a project, in one statement. @throws ToolError not_found, ambiguous_ref, forbidden, feature_disabled */
export async function readSprints(ctx: ReadContext, key: string, demand: { readonly write?: boolean } = {}) {
  const { project, places } = await readPlaces(ctx, sprints, key, demand)
  return { project, sprints: places }
}

/** Picks a sprint of a project, for a write to it or its items. @throws ToolError what `readSprints` throws, not_found, ambiguous_ref */
export async function pickSprintToWrite(ctx: WriteContext, key: string, text: string) {
  const { project, sprints: rows } = await readSprints(ctx, key, { write: true })
  return { project, sprint: pickSprint(rows, text, { projectKey: project.key, field: 'sprint' }) }
}

/** Locks the sprints of a project and picks one, and the next one if given. @throws ToolError not_found, ambiguous_ref */
export async function lockPair<Next extends string | undefined>(
  ctx: WriteContext,
  key: string,
  text: string,
  nextText: Next,
): Promise<ProjectSprints & { readonly sprint: SprintRow; readonly next: SprintRow | (Next & undefined) }> {
  const locked = await lockSprints(ctx, key)
  const pick = (given: string, field: string): SprintRow =>
    pickSprint(locked.sprints, given, { projectKey: locked.project.key, field })
  const sprint = pick(text, 'sprint')
  const next = nextText === undefined ? undefined : pick(nextText, 'next_sprint')
  return { ...locked, sprint, next: next as SprintRow | (Next & undefined) }
}

/** Reads and locks all sprints of a project until the transaction ends. */
export async function lockSprints(ctx: WriteContext, key: string): Promise<ProjectSprints> {
  const { project, places } = await readPlaces(ctx, sprints, key, { write: true, lock: 'no key update' })
  return { project, sprints: places }
}

/**
 * Finds the sprint of a call without a project, in one statement: by id, or by a path, bare name or `@active` that is unique among the
 * caller's own projects or, if none of them matches, among the shared ones.
 * @param write whether the caller needs write access
 * @throws ToolError not_found, ambiguous_ref, forbidden, feature_disabled
 */
export async function requireSprint(
  ctx: ReadContext,
  text: string,
  { write = false }: { readonly write?: boolean } = {},
): Promise<{ readonly project: ProjectRow; readonly sprint: SprintRow }> {
  const [word, key] = [nameKey(text), pathKey(text)]
  const matching =
    word === '@active'
      ? isActive
      : anyOf([idIs('sp.id', word), compare('sp.name_key', '=', key), compare(sprints.sql.pathKey, '=', key)])
  const { rows } = await sql<{ project: ProjectRow; sprint: SprintRow; closeness: number }>`
    select (select to_jsonb(q) from (select ${projectColumns(ctx, 'p')}) q) as project, ${sprints.sql.row} as sprint,
      case when ${idIs('sp.id', word)} then 2 when ${sprints.sql.pathKey} = ${key} then 1 else 0 end as closeness
    from sprints.sprints sp join projects.projects p on p.owner_id = sp.owner_id and p.id = sp.project_id ${sprints.sql.ancestors}
    where ${visible(ctx, 'sp')} and (${matching}) order by p.owner_id <> ${ctx.actor.userId}, closeness desc, p.key, sp.id limit 21
  `.execute(ctx.db)
  const [first] = rows
  const best = rows.filter(
    row =>
      row.closeness === first!.closeness &&
      (row.sprint.ownerId === first!.sprint.ownerId || first!.sprint.ownerId !== ctx.actor.userId),
  )
  const [found] = best
  if (!found)
    throw new ToolError('not_found', `There is no sprint ${quoteName(text)}.`, {
      field: 'sprint_id',
      hint: 'sprints_list shows the sprints with their ids.',
    })
  if (best.length > 1)
    throw new ToolError('ambiguous_ref', `${quoteName(text)} may mean ${best.length} sprints.`, {
      field: 'sprint_id',
      allowed: best.map(row => row.sprint.id),
      hint: 'Give the id of one of them.',
      details: {
        sprints: best.map(({ project, sprint }) => ({ id: sprint.id, project_key: project.key, path: sprint.path })),
      },
    })
  const { project, sprint } = found
  checkRole(ctx, project, { write })
  requireFeature(ctx, 'sprints', project)
  return { project, sprint }
}

export type NewSprint = Pick<
  SprintRow,
  'name' | 'goal' | 'startDate' | 'endDate' | 'capacity' | 'status' | 'parentId' | 'displayOrder'
>

/** Returns the columns that inserts and updates of a sprint share. */
const columnsOf = (sprint: NewSprint) => ({
  parent_id: sprint.parentId,
  name: sprint.name,
  name_key: nameKey(sprint.name),
  goal: sprint.goal,
  start_date: sprint.startDate,
  end_date: sprint.endDate,
  capacity: sprint.capacity?.toString() ?? null,
  status: sprint.status,
})

/** @returns the key of the sprint */
export async function insertSprint(ctx: WriteContext, { ownerId, id: projectId }: ProjectRow, sprint: NewSprint) {
  const id = uuid()
  const { status } = sprint
  await ctx.db
    .insertInto('sprints.sprints')
    .values({
      owner_id: ownerId,
      id,
      project_id: projectId,
      ...columnsOf(sprint),
      display_order: sprint.displayOrder,
      started_at: status === 'active' ? ctx.now : null,
      closed_at: status === 'closed' ? ctx.now : null,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .execute()
  return { ownerId, id }
}

/** Updates the whole row, which is safe because the project's sprints are locked. */
export async function updateSprint(ctx: WriteContext, sprint: SprintRow): Promise<void> {
  const isActive = sprint.status === 'active'
  await ctx.db
    .updateTable('sprints.sprints')
    .set(({ fn, val }) => ({
      ...columnsOf(sprint),
      started_at: isActive ? fn.coalesce('started_at', val(ctx.now)) : null,
      updated_at: ctx.now,
    }))
    .where(({ and }) => and({ owner_id: sprint.ownerId, id: sprint.id }))
    .execute()
}

export async function deleteSprint(ctx: WriteContext, { ownerId, id }: OwnedKey): Promise<void> {
  await deleteWhere(ctx.db, 'sprints.sprints', { owner_id: ownerId, id })
}

/** Sets the status and its time; the row stays locked until the transaction ends. */
export async function setSprintStatus(ctx: WriteContext, { ownerId, id }: SprintRow, status: 'active' | 'closed') {
  const since = status === 'active' ? { started_at: ctx.now } : { closed_at: ctx.now }
  await updateWhere(ctx.db, 'sprints.sprints', { owner_id: ownerId, id }, { status, ...since, updated_at: ctx.now })
}
