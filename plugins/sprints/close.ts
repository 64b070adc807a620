import { formatCount, quoteName, ToolError, Type, type Static, type WriteContext } from 'tasuki/plugin'
import { recordChanges, childrenOf, dayIn, toItemChange, workflowOf } from '../items/index.ts'
import { recordSettingChange } from '../projects/index.ts'
import { type Decisions, type Given, resolveDispositions } from './dispositions.ts'
import { insertClosing } from './closing.repository.ts'
import { deleteSprintItems, moveSprintItems, readItemsOf } from './sprint-item.repository.ts'
import { outcome, type Outcome } from './outcome.ts'
import { sprintClosed } from './pick.ts'
import { reviewText } from './review.ts'
import { readRecord } from './sprint-record.repository.ts'
import { setSprintStatus, type ProjectSprints } from './sprint.repository.ts'
import { requireUnchangedSprint, sprintSchema, type SprintRow } from './sprint.ts'
import { splitItems } from './split.ts'
import { notifyMembers } from './notify-members.ts'

export interface Closing {
  readonly sprint: SprintRow
  /** The sprint for items of `next_sprint` and continuations of split items. */
  readonly next: SprintRow | null
  /** Also start `next`. */
  readonly start: boolean
  readonly given: Given | undefined
}

/** The result of closing a sprint. */
export const closedOutput = Type.Object({
  sprint: sprintSchema,
  next_sprint: Type.Optional(Type.Object({ id: Type.String(), path: Type.String(), status: Type.String() })),
  items: Type.Array(outcome),
  changed: Type.Array(Type.String()),
  warnings: Type.Optional(Type.Array(Type.String())),
})

export type Closed = Static<typeof closedOutput>

/**
 * Closes a sprint atomically: items, notes, snapshot and, with `start`, the next sprint. The number of statements does not depend on the
 * number of items.
 * @throws ToolError conflict or sprint_closed if the sprint is not active; all errors of the dispositions
 */
export async function closeSprint(
  ctx: WriteContext,
  { project, sprints }: ProjectSprints,
  closing: Closing,
): Promise<Closed> {
  const { sprint, next, start, given } = closing
  requireActive(sprint)
  requireUnchangedSprint(ctx, sprint)
  // First, because its row lock blocks items from entering or leaving the sprint.
  await setSprintStatus(ctx, sprint, 'closed')
  if (next && start) await setSprintStatus(ctx, next, 'active')
  // Splits complete items and create new ones.
  if (given?.some(({ disposition }) => disposition === 'split')) await workflowOf(ctx, project, { lock: true })
  const items = await readItemsOf(ctx, sprint, { lock: true })
  const decisions = await resolveDispositions(ctx, sprint, items, { given, next, projectKey: project.key })
  const doneShares = new Map(items.map(item => [item.id, item.progress ?? 0]))
  const continuations = await splitItems(ctx, decisions.splits, { sprint, next, doneShares })
  const after = continuations.size === 0 ? items : await readItemsOf(ctx, sprint)
  await moveUnfinished(ctx, sprint, next, decisions)
  const measured = new Map(after.map(item => [item.id, item]))
  const outcomes = items.map((item): Outcome => {
    const { points, completedAt, counted } = measured.get(item.id) ?? item
    const disposition = decisions.chosen.get(item.id)
    const continuation = continuations.get(item.id)
    return {
      item_ref: `${project.key}#${item.number}`,
      item_id: item.id,
      title: item.title,
      outcome: disposition ?? 'done',
      ...(points !== null && { points }),
      ...(completedAt !== null && { completed_at: completedAt }),
      ...(disposition === undefined && !counted && { counted: false }),
      ...(continuation && { continuation_ref: continuation.ref }),
    }
  })
  const unit = items.some(item => item.points !== null) ? project.estimateUnit : 'items'
  const total = unit === 'items' ? items.length : roundedSum(items.map(item => item.points ?? 0))
  const sizes = { velocity: velocity(outcomes, unit, doneShares), total, unit }
  const day = dayIn(sprint.timeZone, ctx.now)
  const review = reviewText({ ...sprint, ...sizes, day, next: next?.path ?? null, items: outcomes })
  await insertClosing(ctx, sprint, { ...sizes, items: outcomes, review })
  await recordMoves(ctx, { project, sprints }, closing, outcomes)
  await recordSettingChange(ctx, project, {
    kind: 'sprint.closed',
    of: { id: sprint.id, name: sprint.path },
    before: { status: 'active' },
    after: { status: 'closed', velocity: sizes.velocity, next_sprint: next?.path ?? null },
  })
  await notifyMembers(ctx, project, { sprint, next: start ? next : null, ...sizes, items: outcomes })
  const open = childrenOf(sprints, sprint.id).filter(child => child.status !== 'closed').length
  const warnings = [
    ...decisions.warnings,
    ...(open > 0
      ? [`${formatCount(open, 'sprint')} below ${quoteName(sprint.path)} ${open === 1 ? 'is' : 'are'} not closed.`]
      : []),
  ]
  return {
    sprint: await readRecord(ctx, sprint),
    ...(next && { next_sprint: await readRecord(ctx, next) }),
    items: outcomes,
    changed: ['status'],
    ...(warnings.length > 0 && { warnings }),
  }
}

function requireActive(sprint: SprintRow): void {
  if (sprint.status === 'closed') throw sprintClosed(sprint, 'sprint', 'Its review is in sprints_note_get.')
  if (sprint.status === 'active') return
  const message = `The sprint ${quoteName(sprint.path)} is in planning; only an active sprint can be closed.`
  const hint = 'Start it with sprints_update status=active, or remove it with sprints_delete.'
  throw new ToolError('conflict', message, { field: 'sprint', hint })
}

/** Unfinished items leave the sprint; split items are completed and stay. */
async function moveUnfinished(
  ctx: WriteContext,
  sprint: SprintRow,
  next: SprintRow | null,
  { chosen }: Decisions,
): Promise<void> {
  const itemsThat = (...outcomes: readonly string[]): string[] =>
    [...chosen].flatMap(([id, disposition]) => (outcomes.includes(disposition) ? [id] : []))
  await deleteSprintItems(ctx, sprint, itemsThat('backlog', 'drop'))
  if (next) await moveSprintItems(ctx, sprint, next, itemsThat('next_sprint'))
}

function velocity(outcomes: readonly Outcome[], unit: string, doneShares: ReadonlyMap<string, number>): number {
  const sizes = outcomes.map(({ outcome, counted, points, item_id: id }) => {
    if (outcome === 'split') return unit === 'items' ? (doneShares.get(id) ?? 0) : (points ?? 0)
    if (outcome !== 'done' || counted === false) return 0
    return unit === 'items' ? 1 : (points ?? 0)
  })
  return roundedSum(sizes)
}

/** Rounds away errors of binary fractions. */
function roundedSum(sizes: readonly number[]): number {
  return Math.round(sizes.reduce((a, b) => a + b, 0) * 1000) / 1000
}

async function recordMoves(
  ctx: WriteContext,
  { project }: ProjectSprints,
  { sprint, next }: Closing,
  outcomes: readonly Outcome[],
): Promise<void> {
  const moved = outcomes.filter(({ outcome }) => outcome !== 'done' && outcome !== 'split')
  const changes = moved.map(({ item_id: id, item_ref: ref, title, outcome }) =>
    toItemChange({ ownerId: sprint.ownerId, item: { id, ref, title }, project }, 'item.sprint.changed', {
      from: sprint.path,
      to: outcome === 'next_sprint' ? next!.path : null,
      reason: `${quoteName(sprint.path)} was closed: ${outcome}`,
    }),
  )
  await recordChanges(ctx, changes)
}
