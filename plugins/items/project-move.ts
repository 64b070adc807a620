import { formatCount, quoteName, throwAll, ToolError, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { bareKey, type ProjectRow } from '../projects/index.ts'
import { findCounterpart } from '../workflows/index.ts'
import { formatRef, type Draft, type FieldChange, type ItemRow } from './draft.ts'
import { draftMove } from './create-draft.ts'
import { moveItemRows } from './item-write.repository.ts'
import { readKinds } from './kind.repository.ts'
import { BUILT_IN_KINDS, DEFAULT_KIND } from './kinds.ts'
import { countChildrenElsewhere } from './parent.repository.ts'
import { itemChecks, itemMoves, type ItemMove, type ItemWrite } from './points.ts'
import { workflowOf, type ItemWorkflow } from './item-workflow.repository.ts'
import { refuseArchived } from './place.ts'
import { commonFields, draftChanges, publishChanges } from './write.ts'

/** A value of an item that depends on its project, and that in the new project; null = nothing. */
export type Carried = FieldChange

/** One item of a planned move. */
export interface PlannedMove {
  /** `draft.ref` is the new reference; its problems say why the item cannot move. */
  readonly draft: Draft & { readonly before: ItemRow }
  readonly mapped: readonly Carried[]
  readonly lost: readonly Carried[]
}

/** The effect of moving items into another project, before anything is written. */
export interface MovePlan {
  readonly project: ProjectRow
  readonly moves: readonly PlannedMove[]
  readonly writes: readonly ItemWrite[]
}

/**
 * Plans the move of items into another project of their owner; items already there stay unchanged. The number of statements does not depend
 * on the number of items.
 * @param lock locks the workflow of the project until the transaction ends, so that the plan stays valid
 * @throws ToolError invalid_argument for an archived project; errors of one item become problems of its draft
 */
export async function planMove(
  ctx: ReadContext,
  items: readonly ItemRow[],
  project: ProjectRow,
  { lock, reason = null }: { readonly lock: boolean; readonly reason?: string | null },
): Promise<MovePlan> {
  refuseArchived(project, 'to_project')
  const workflow = await workflowOf(ctx, project, { lock })
  const moves = items.map(item => newMove(draftMove(item, project, workflow.id, reason)))
  for (const { draft } of moves) if (draft.ownerId !== project.ownerId) draft.problems.push(foreignProjectError(draft))
  const moving = moves.filter(({ draft }) => draft.problems.length === 0 && draft.before.project.id !== project.id)
  if (moving.length === 0) return { project, moves, writes: [] }
  for (const move of moving) mapState(ctx, move, workflow)
  await mapKinds(ctx, moving, project)
  const writes: ItemWrite[] = []
  for (const find of ctx.all(itemMoves)) {
    const write = await find(ctx, moving)
    if (write) writes.push(write)
  }
  const drafts = moving.map(({ draft }) => draft)
  for (const check of ctx.all(itemChecks)) await check(ctx, drafts)
  await warnOfChildren(ctx, drafts)
  return { project, moves, writes }
}

/** Executes a plan for the items without problems that are not yet in the project; the items must be locked. */
export async function moveToProject(ctx: WriteContext, { project, moves, writes }: MovePlan): Promise<void> {
  const drafts = moves
    .map(({ draft }) => draft)
    .filter(({ before, problems }) => problems.length === 0 && before.project.id !== project.id)
  if (drafts.length === 0) return
  const items = drafts.map(({ ownerId, id, before, after }) => ({
    ownerId,
    id,
    stateId: after.stateId,
    completedAt: after.completedAt,
    kind: after.kind,
    formerKey: bareKey(before.project),
  }))
  await moveItemRows(ctx, items, { id: project.id, key: bareKey(project) })
  for (const write of writes) await write(ctx, drafts)
  await publishChanges(
    ctx,
    drafts.flatMap(draft => [
      { ...commonFields(draft), kind: 'item.moved', from: bareKey(draft.before.project), to: bareKey(project) },
      ...draftChanges(draft),
    ]),
  )
}

/** Moves one item. @throws ToolError if the item cannot move */
export async function moveItem(ctx: WriteContext, plan: MovePlan): Promise<void> {
  throwAll(plan.moves.flatMap(({ draft }) => draft.problems))
  await moveToProject(ctx, plan)
}

type OpenMove = Omit<ItemMove, 'draft'> & PlannedMove

function newMove(draft: Draft): OpenMove {
  const mapped: Carried[] = []
  const lost: Carried[] = []
  return {
    draft: draft as OpenMove['draft'],
    mapped,
    lost,
    keep(field, from, to) {
      mapped.push({ field, from, to })
      if (JSON.stringify(from) !== JSON.stringify(to)) draft.change(field, from, to)
    },
    lose(field, value, instead = null) {
      lost.push({ field, from: value, to: instead })
      draft.change(field, value, instead)
    },
  }
}

function foreignProjectError({ before, project }: OpenMove['draft']): ToolError {
  return new ToolError(
    'invalid_argument',
    `${formatRef(before)} and the project ${project.key} belong to different owners.`,
    {
      field: 'to_project',
      hint: 'Items move between projects of one owner; create a new item in the other project instead.',
    },
  )
}

/** Picks the state with the same meaning; a state with the same name and status is not reported. */
function mapState(ctx: ReadContext, { draft, keep }: OpenMove, workflow: ItemWorkflow): void {
  const { before, after, problems } = draft
  const { name, systemStatus, category, statusAttribute } = before.state
  const state = findCounterpart(
    { name, system_status: systemStatus, category, status_attribute: statusAttribute },
    workflow.states,
  )
  if (!state) {
    const message = `The workflow ${quoteName(workflow.name)} has no ${systemStatus} state for ${quoteName(name)}.`
    const hint = 'Add one with workflow_states_create, or move the item to another state first.'
    problems.push(new ToolError('workflow_mismatch', message, { field: 'to_project', hint }))
    return
  }
  after.stateId = state.id
  after.completedAt = state.system_status === 'open' ? null : (before.completedAt ?? ctx.now.toISOString())
  if (state.name !== name || state.system_status !== systemStatus) keep('status', name, state.name)
}

async function mapKinds(ctx: ReadContext, moves: readonly OpenMove[], project: ProjectRow): Promise<void> {
  const custom = moves.filter(({ draft }) => !(BUILT_IN_KINDS as readonly string[]).includes(draft.before.kind))
  if (custom.length === 0) return
  const known = await readKinds(ctx, project)
  for (const { draft, keep, lose } of custom) {
    const { kind } = draft.before
    if (known.includes(kind)) keep('kind', kind, kind)
    else {
      draft.after.kind = DEFAULT_KIND
      lose('kind', kind, DEFAULT_KIND)
    }
  }
}

/** Parents and children may be in different projects, so children stay where they are, which may surprise the caller. */
async function warnOfChildren(ctx: ReadContext, drafts: readonly OpenMove['draft'][]): Promise<void> {
  const [{ ownerId, project }] = drafts as readonly [Draft]
  const ids = drafts.map(({ id }) => id)
  for (const { id, count } of await countChildrenElsewhere(ctx, ownerId, ids, project.id)) {
    const draft = drafts.find(each => each.id === id)!
    draft.warnings.push(
      `${draft.ref} keeps ${formatCount(count, 'child', 'children')} in another project; move them too if they belong with it.`,
    )
  }
}
