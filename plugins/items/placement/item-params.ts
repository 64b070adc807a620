import { ToolError, type Contribution, type ReadContext, type TSchema } from 'tasuki/plugin'
import { featureDisabled, featureOn } from '../../projects/index.ts'
import { itemMoves, itemParams, type Draft, type ItemWrite, type ItemWriteTool } from '../points.ts'
import { findNamed } from './pick.ts'
import { findPlaces, placeItems } from './placement.repository.ts'
import type { Placement, PlaceMove, PlaceRow } from './placement.ts'

type Choice<T> = Pick<PlaceMove<T>, 'from' | 'to' | 'field'>

/** Why an item may not move as it should, or null. */
export function refusalOf<T extends PlaceRow>(
  { refuseEntry, refuseExit }: Pick<Placement<T>, 'refuseEntry' | 'refuseExit'>,
  { from, to, field }: Choice<T>,
  isCompleted: boolean,
): ToolError | null {
  const entry = to ? refuseEntry?.(to, field) : null
  const exit = from ? refuseExit?.({ from, to, field }, isCompleted) : null
  return entry ?? exit ?? null
}

export interface PlacementParam {
  readonly tool: ItemWriteTool
  readonly name: string
  /** A string; null, where it accepts it, and blank text mean no place. */
  readonly schema: TSchema
  /** Whether items_bulk_patch_preview shows it; default true. */
  readonly previewed?: boolean
  /** Text of items_create that means no place; default blank text. */
  isNone?(text: string): boolean
}

/**
 * A parameter that puts items into the place that a text names. Left out of items_create, a new item goes where its parent is; so do the
 * continuations of split items and generated tasks, which name the item that they come from as parent.
 */
export function placementParam<T extends PlaceRow>(
  placement: Placement<T>,
  { tool, name, schema, previewed = true, isNone = isBlank }: PlacementParam,
): Contribution {
  return itemParams({
    tools: [tool],
    previewed,
    params: { [name]: schema },
    prepare(ctx, drafts, input) {
      const given = input[name] as string | null | undefined
      if (given === undefined) return inherit(ctx, placement, drafts)
      const text = given ?? ''
      if (isNone(text) && drafts.every(draft => draft.before === null)) return undefined
      return choose(ctx, placement, drafts, { text, field: name })
    },
  })
}

const isBlank = (text: string): boolean => text.trim() === ''

async function choose<T extends PlaceRow>(
  ctx: ReadContext,
  placement: Placement<T>,
  drafts: readonly Draft[],
  { text, field }: { readonly text: string; readonly field: string },
): Promise<ItemWrite | undefined> {
  const able = drafts.filter(draft => allows(ctx, placement, draft))
  for (const draft of drafts) {
    if (!able.includes(draft)) draft.problems.push(featureDisabled(placement.feature!, draft.project.key))
  }
  if (able.length === 0) return undefined
  const places = await findPlaces(ctx, placement, ownersOf(able), {
    items: able.filter(draft => draft.before !== null).map(draft => draft.id),
    projects: isBlank(text) ? [] : able.map(draft => draft.project.id),
  })
  const chosen = new Map<Draft, Choice<T>>()
  for (const draft of able) {
    const { project } = draft
    const own = places.filter(place => place.projectId === project.id)
    const to = isBlank(text) ? null : findNamed(placement, own, text, { projectKey: project.key, field })
    if (to instanceof ToolError) {
      draft.problems.push(to)
      continue
    }
    const from = places.find(place => place.items.includes(draft.id)) ?? null
    if (from?.id === to?.id) continue
    const refusal = refusalOf(placement, { from, to, field }, draft.after.completedAt !== null)
    if (refusal) draft.problems.push(refusal)
    chosen.set(draft, { from, to, field })
  }
  noteChanges(placement, chosen)
  return writeOf(placement, chosen)
}

/** A new item goes where its parent is, unless that place takes nothing new or belongs to another project. */
async function inherit<T extends PlaceRow>(
  ctx: ReadContext,
  placement: Placement<T>,
  drafts: readonly Draft[],
): Promise<ItemWrite | undefined> {
  const children = drafts.filter(
    draft => draft.parent?.project.id === draft.project.id && allows(ctx, placement, draft),
  )
  if (children.length === 0) return undefined
  const places = await findPlaces(ctx, placement, ownersOf(children), {
    items: [...new Set(children.map(draft => draft.parent!.id))],
  })
  const field = placement.noun
  const chosen = new Map<Draft, Choice<T>>()
  for (const draft of children) {
    const to = places.find(place => place.items.includes(draft.parent!.id))
    if (to && !placement.refuseEntry?.(to, field)) chosen.set(draft, { from: null, to, field })
  }
  noteChanges(placement, chosen)
  return writeOf(placement, chosen)
}

/** What becomes of the places of items that move to another project: the counterpart there, unless it takes nothing new, or none. */
export function placementMoves<T extends PlaceRow>(placement: Placement<T>): Contribution {
  const { noun, refuseEntry, movesByName } = placement
  return itemMoves(async (ctx, moves) => {
    const { ownerId, project } = moves[0]!.draft
    const items = moves.map(({ draft }) => draft.id)
    const places = await findPlaces(ctx, placement, [ownerId], { items, projects: [project.id] })
    const field = 'to_project'
    const there = places.filter(place => place.projectId === project.id && !refuseEntry?.(place, field))
    const chosen = new Map<Draft, Choice<T>>()
    for (const { draft, keep, lose } of moves) {
      const from = places.find(place => place.items.includes(draft.id))
      if (!from) continue
      const named = movesByName ? findNamed(placement, there, from.path, { projectKey: project.key, field }) : null
      const same = there.find(place => place.pathKey === from.pathKey)
      const to = same ?? (named instanceof ToolError ? null : named)
      chosen.set(draft, { from, to, field })
      if (to) keep(noun, from.path, to.path)
      else lose(noun, from.path)
    }
    return writeOf(placement, chosen)
  })
}

function allows(ctx: ReadContext, { feature }: Pick<Placement, 'feature'>, draft: Draft): boolean {
  return feature === undefined || featureOn(ctx, feature, draft.project)
}

function noteChanges<T extends PlaceRow>({ noun }: Placement<T>, chosen: ReadonlyMap<Draft, Choice<T>>): void {
  for (const [draft, { from, to }] of chosen) draft.change(noun, from?.path ?? null, to?.path ?? null)
}

function writeOf<T extends PlaceRow>(
  placement: Placement<T>,
  chosen: ReadonlyMap<Draft, Choice<T>>,
): ItemWrite | undefined {
  if (chosen.size === 0) return undefined
  return (ctx, drafts) => {
    const moves = drafts.flatMap(draft => {
      const choice = chosen.get(draft)
      return choice ? [{ ownerId: draft.ownerId, itemId: draft.id, ...choice }] : []
    })
    return placeItems(ctx, placement, moves)
  }
}

function ownersOf(drafts: readonly Draft[]): string[] {
  return drafts.map(draft => draft.ownerId)
}
