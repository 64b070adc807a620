import { formatCount, type WriteContext } from 'tasuki/plugin'
import { stateChanged, stateUsers, workflowAssigned } from '../workflows/points.ts'
import type { ItemChange } from './draft.ts'
import { countByState, followStates, type StateMove } from './item-workflow.repository.ts'
import { publishChanges, stateKind } from './write.ts'

/** Protects states in use from deletion. */
export const usesOfStates = stateUsers(async (ctx, { ownerId, stateIds }) => {
  if (stateIds.length === 0) return []
  const rows = await countByState(ctx, ownerId, stateIds)
  return rows.map(({ stateId, count }) => ({ stateId, count, text: formatCount(count, 'item') }))
})

/** Keeps items completed if and only if their state is closed. */
export const followState = stateChanged((ctx, { ownerId, stateId, to }) =>
  moveItemsToStates(ctx, ownerId, null, [{ old: stateId, fresh: stateId, closed: to === 'closed' }]),
)

/** Moves the items of a project into the states of its new workflow. */
export const followWorkflow = workflowAssigned((ctx, { ownerId, projectId, moves }) =>
  moveItemsToStates(
    ctx,
    ownerId,
    projectId,
    moves.map(({ from, to }) => ({ old: from.id, fresh: to.id, closed: to.system_status === 'closed' })),
  ),
)

/** Changes published per batch: some plugins pass each change to the database as a parameter. */
const BATCH = 1000

/** Moves items to their new states, updates their times, and records the changes that are visible in the history. */
async function moveItemsToStates(
  ctx: WriteContext,
  ownerId: string,
  projectId: string | null,
  moves: readonly StateMove[],
): Promise<void> {
  if (moves.length === 0) return
  const rows = await followStates(ctx, ownerId, projectId, moves)
  const changes = rows.map(({ wasCompleted, isCompleted, ...row }): ItemChange => ({
    ownerId,
    ...row,
    kind: stateKind(wasCompleted, isCompleted),
  }))
  for (let n = 0; n < changes.length; n += BATCH) await publishChanges(ctx, changes.slice(n, n + BATCH))
}
