import { fixedPlan, sql, ToolError, type WriteContext } from 'tasuki/plugin'
import { checkRole, keyIs, oneProject, projectColumns, type ProjectRow } from '../projects/index.ts'
import { defaultState, projectWorkflow } from '../workflows/index.ts'
import type { ItemType, ItemValues } from './draft.ts'
import { DEFAULT_KIND } from './kinds.ts'
import { settled } from './states.ts'

/** Where a new item goes: its project and the state that it begins with. */
export interface Place extends ProjectRow {
  readonly stateId: string
  readonly workflowId: string
  readonly settled: boolean
}

/** Finds the project and its initial state. The workflow is locked until the commit, so that the state stays. */
export async function findPlace(ctx: WriteContext, key: string): Promise<Place> {
  const { rows } = await sql<Place>`
    ${fixedPlan} select ${projectColumns(ctx, 'p')}, w.id as "workflowId", ${defaultState(sql`w.owner_id`, sql`w.id`)} as "stateId",
      ${settled} as settled
    from projects.projects p join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}
    where ${keyIs(ctx, key)} limit 2 for share of w
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

/** How new items of a project begin. */
export type InitialState = Pick<Place, 'stateId' | 'workflowId'>

/** Finds the initial states of projects of any owners, by project id, in two statements. Their workflows are locked until the commit. */
export async function findInitialStates(
  ctx: WriteContext,
  projects: readonly { readonly ownerId: string; readonly projectId: string }[],
): Promise<ReadonlyMap<string, InitialState>> {
  if (projects.length === 0) return new Map()
  const placed = sql`jsonb_to_recordset(${JSON.stringify(projects)}::jsonb) as n ("ownerId" uuid, "projectId" uuid)
    join projects.projects p on p.owner_id = n."ownerId" and p.id = n."projectId"
    join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}`
  // States are read in a later statement than the one that may have waited for an edit of the workflow.
  await sql`select from ${placed} order by w.owner_id, w.id for share of w`.execute(ctx.db)
  const { rows } = await sql<InitialState & { readonly projectId: string }>`
    select p.id as "projectId", w.id as "workflowId", ${defaultState(sql`w.owner_id`, sql`w.id`)} as "stateId" from ${placed}
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
