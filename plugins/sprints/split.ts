import { clip, quoteName, throwAll, type WriteContext } from 'tasuki/plugin'
import { completeItems, draftOf, newDraft, findInitialStates, valuesOf, writeItems } from '../items/index.ts'
import type { Draft, ItemRow } from '../items/index.ts'
import { sprintSplits } from './points.ts'
import type { SprintRow } from './sprint.ts'

const TITLE_MAX = 200

export interface Splitting {
  readonly sprint: SprintRow
  /** The sprint for the continuations; null = none. */
  readonly next: SprintRow | null
  /** By item id, from 0 to 1. */
  readonly doneShares: ReadonlyMap<string, number>
}

/**
 * Completes items with their done part and creates an item for the rest of each, in a constant number of statements.
 * @returns the continuations by the id of the original
 */
export async function splitItems(
  ctx: WriteContext,
  items: readonly ItemRow[],
  { sprint, next, doneShares }: Splitting,
): Promise<ReadonlyMap<string, Draft>> {
  const [first] = items
  if (!first) return new Map()
  const originals = items.map(item => draftOf(item, `Split at the end of ${quoteName(sprint.path)}`))
  await completeItems(ctx, originals)
  await writeItems(ctx, originals, { tool: 'items_patch', input: {}, bulk: true })
  throwAll(originals.flatMap(draft => draft.problems))
  const { ownerId, project } = first
  const states = await findInitialStates(ctx, [{ ownerId, projectId: project.id }])
  const { stateId } = states.get(project.id)!
  const continuations = items.map(item => continuationOf(item, stateId))
  // Always set, with an empty text for none: otherwise the continuation would inherit the sprint that is being closed.
  await writeItems(ctx, continuations, { tool: 'items_create', input: { sprint: next?.id ?? '' }, bulk: true })
  throwAll(continuations.flatMap(draft => draft.problems))
  const splits = items.map((original, n) => ({
    original,
    continuation: continuations[n]!,
    doneShare: doneShares.get(original.id) ?? 0,
  }))
  for (const move of ctx.all(sprintSplits)) await move(ctx, splits)
  return new Map(splits.map(({ original, continuation }) => [original.id, continuation]))
}

/** Uses the original as `parent` of the draft, so that version, area and similar places are inherited from it. */
function continuationOf(item: ItemRow, stateId: string): Draft {
  return newDraft({
    project: item.project,
    workflowId: item.workflowId,
    parent: item,
    values: { ...valuesOf(item), title: makeContinuedTitle(item.title), stateId, completedAt: null },
  })
}

/** Returns the title of a continuation: `Title`, `Title (2)`, `Title (3)` …, within the length limit of a title. */
export function makeContinuedTitle(title: string): string {
  const [, base = title, count] = /^(.*\S) \((\d{1,4})\)$/su.exec(title) ?? []
  const suffix = ` (${count === undefined ? 2 : Number(count) + 1})`
  return clip(base, TITLE_MAX - suffix.length) + suffix
}
