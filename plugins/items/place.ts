import { fixedPlan, sql, ToolError, type WriteContext } from 'tasuki/plugin'
import { checkRole, keyIs, oneProject, projectColumns, type ProjectRow } from '../projects/index.ts'
import { defaultState, projectWorkflow } from '../workflows/index.ts'
import type { ItemType, ItemValues } from './draft.ts'
import { DEFAULT_KIND } from './kinds.ts'
import { settled } from './states.ts'

/** Where a new item goes: its project with the number and the state that it begins with. */
export interface Place extends ProjectRow {
  readonly number: number
  readonly stateId: string
  readonly workflowId: string
  readonly settled: boolean
}

/**
 * Finds the project, its initial state and the next number in one statement. Until the commit the counter row is locked, so that
 * numbers have no gaps, and the workflow is held, so that the state stays.
 */
export async function openPlace(ctx: WriteContext, key: string): Promise<Place> {
  const { rows } = await sql<Place>`
    ${fixedPlan} with place as (
      select ${projectColumns('p')}, w.id as "workflowId", ${defaultState(sql`w.owner_id`, sql`w.id`)} as "stateId", ${settled} as settled
      from projects.projects p join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}
      where ${keyIs(ctx, key)} limit 2 for share of w
    ), counted as (
      insert into items.counters (owner_id, next_number) select "ownerId", 2 from place limit 1
      on conflict (owner_id) do update set next_number = counters.next_number + 1 returning next_number - 1 as number
    )
    select place.*, counted.number from place, counted
  `.execute(ctx.db)
  const place = await oneProject(ctx, rows, key)
  checkRole(ctx, place, { write: true })
  if (place.archived) {
    throw new ToolError('invalid_argument', `Project ${place.key} is archived.`, {
      field: 'project_key',
      hint: 'Unarchive it in the portal, or choose another project.',
    })
  }
  if (!place.settled) {
    throw new ToolError('unavailable', `The workflow of ${place.key} was being edited.`, {
      hint: 'Send the same call again.',
      retryable: true,
    })
  }
  return place
}

/** Where new items of a project go, whoever's it is. */
export interface Room {
  /** The first of the numbers. */
  readonly first: number
  readonly stateId: string
  readonly workflowId: string
}

/**
 * Takes numbers for new items in projects of any owners, by project id, in two statements whatever their number. Workflows and counters
 * stay locked until the commit.
 */
export async function openRooms(
  ctx: WriteContext,
  projects: readonly { readonly ownerId: string; readonly projectId: string; readonly count: number }[],
): Promise<ReadonlyMap<string, Room>> {
  if (projects.length === 0) return new Map()
  const wanted = sql`jsonb_to_recordset(${JSON.stringify(projects)}::jsonb) as n ("ownerId" uuid, "projectId" uuid, count int)`
  const placed = sql`${wanted} join projects.projects p on p.owner_id = n."ownerId" and p.id = n."projectId"
    join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}`
  // States are read in a later statement than the one that may have waited for an edit of the workflow.
  await sql`select from ${placed} order by w.owner_id, w.id for share of w`.execute(ctx.db)
  const { rows } = await sql<Room & { readonly projectId: string }>`
    with counted as (
      insert into items.counters as c (owner_id, next_number)
      select n."ownerId", 1 + sum(n.count) from ${wanted} group by 1 order by 1
      on conflict (owner_id) do update set next_number = c.next_number + excluded.next_number - 1 returning c.owner_id, c.next_number
    )
    select p.id as "projectId", w.id as "workflowId", ${defaultState(sql`w.owner_id`, sql`w.id`)} as "stateId",
      (c.next_number - sum(n.count) over (partition by p.owner_id order by p.id desc))::int as first
    from ${placed} join counted c on c.owner_id = p.owner_id
  `.execute(ctx.db)
  return new Map(rows.map(row => [row.projectId, row]))
}

/** The values of a new item of a type, before anything is known of it. */
export function blankItem(type: ItemType, { stateId }: Pick<Place, 'stateId'>): ItemValues {
  return {
    type,
    title: '',
    detail: '',
    dueDate: null,
    dueTime: null,
    startDate: null,
    priority: null,
    kind: DEFAULT_KIND,
    parentId: null,
    stateId,
    archivedAt: null,
    completedAt: null,
  }
}
