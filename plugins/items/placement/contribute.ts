import { ToolError, type Contribution, type ReadContext } from 'tasuki/plugin'
import { featureDisabled, featureOn } from '../../projects/index.ts'
import { itemMoves, itemParams, type Draft, type ItemWrite } from '../points.ts'
import { placementFields } from './item-fields.repository.ts'
import { findNamed } from './pick.ts'
import { findPlaces, placeItems, placeOf } from './placement.repository.ts'
import type { PlaceChange, PlaceMove, Placement, PlacementParam, PlaceRow } from './placement.ts'

/** Returns what a placement adds to items: parameters, moves between projects, output fields, a filter key, a value of `has:`. */
export function contributePlacement<T extends PlaceRow>(placement: Placement<T>): Contribution[] {
  const params = Object.entries(placement.params).map(([name, param]) => placementParam(placement, name, param))
  return [placementMoves(placement), ...params, ...placementFields(placement)]
}

const isBlank = (text: string): boolean => text.trim() === ''

/**
 * Defines a parameter that assigns items to the place that a text names. If items_create omits it, a new item inherits the place of its
 * parent. A split item's continuation and a generated task have the original item as their draft's parent.
 */
function placementParam<T extends PlaceRow>(
  placement: Placement<T>,
  field: string,
  { tool, schema, previewed = true, isNone = isBlank }: PlacementParam,
): Contribution {
  return itemParams({
    tools: [tool],
    previewed,
    params: { [field]: schema },
    prepare(ctx, drafts, input) {
      const value = input[field] as string | null | undefined
      if (value === undefined) return inherit(ctx, placement, drafts)
      if (tool === 'items_create' && isNone(value ?? '')) return undefined
      return choosePlace(ctx, placement, drafts, { text: value ?? '', field })
    },
  })
}

/** Resolves the place that a text names, for all drafts; a blank text is none. */
export async function choosePlace<T extends PlaceRow>(
  ctx: ReadContext,
  placement: Placement<T>,
  drafts: readonly Draft[],
  { text, field }: { readonly text: string; readonly field: string },
): Promise<ItemWrite | undefined> {
  const able = drafts.filter(draft => isAllowed(ctx, placement, draft))
  for (const draft of drafts) {
    if (!able.includes(draft)) draft.problems.push(featureDisabled(placement.feature!, draft.project.key))
  }
  if (able.length === 0) return undefined
  const owners = able.map(draft => draft.ownerId)
  const places = await findPlaces(ctx, placement, owners, {
    items: able.filter(draft => draft.before !== null).map(draft => draft.id),
    projects: isBlank(text) ? [] : able.map(draft => draft.project.id),
  })
  return writeOf(placement, able, draft => {
    const { id, key: projectKey } = draft.project
    const own = places.filter(place => place.projectId === id)
    const to = isBlank(text) ? null : findNamed(placement, own, text, { projectKey, field })
    if (to instanceof ToolError) {
      draft.problems.push(to)
      return null
    }
    const from = placeOf(places, draft.id)
    if (from?.id === to?.id) return null
    const refusal = placement.refuse?.({ from, to, field }, draft.after)
    if (refusal) draft.problems.push(refusal)
    draft.change(placement.noun, from?.path ?? null, to?.path ?? null)
    return { from, to, field }
  })
}

/** A new item inherits the place of its parent, unless that place accepts no new items or belongs to another project. */
async function inherit<T extends PlaceRow>(ctx: ReadContext, placement: Placement<T>, drafts: readonly Draft[]) {
  const isChild = (draft: Draft): boolean => draft.parent?.project.id === draft.project.id
  const children = drafts.filter(draft => isChild(draft) && isAllowed(ctx, placement, draft))
  if (children.length === 0) return undefined
  const owners = children.map(({ ownerId }) => ownerId)
  const places = await findPlaces(ctx, placement, owners, { items: children.map(({ parent }) => parent!.id) })
  return writeOf(placement, children, draft => {
    const choice = { from: null, to: placeOf(places, draft.parent!.id), field: placement.noun }
    if (!choice.to || placement.refuse?.(choice)) return null
    draft.change(placement.noun, null, choice.to.path)
    return choice
  })
}

/** Items that move to another project go to the place with the same path there, or to none if it is missing or accepts no new items. */
function placementMoves<T extends PlaceRow>(placement: Placement<T>): Contribution {
  const { noun, movesByName } = placement
  return itemMoves(async (ctx, moves) => {
    const { ownerId, project } = moves[0]!.draft
    const drafts = moves.map(({ draft }) => draft)
    const items = drafts.map(({ id }) => id)
    const places = await findPlaces(ctx, placement, [ownerId], { items, projects: [project.id] })
    const options = { projectKey: project.key, field: 'to_project' }
    const isOpen = (to: T): boolean => !placement.refuse?.({ ...options, from: null, to })
    const there = places.filter(place => place.projectId === project.id && isOpen(place))
    return writeOf(placement, drafts, (draft, n) => {
      const from = placeOf(places, draft.id)
      if (!from) return null
      const same = there.find(place => place.pathKey === from.pathKey) ?? null
      const found = same ?? (movesByName ? findNamed(placement, there, from.path, options) : null)
      const to = found instanceof ToolError ? null : found
      if (to) moves[n]!.keep(noun, from.path, to.path)
      else moves[n]!.lose(noun, from.path)
      return { from, to, field: options.field }
    })
  })
}

/** Returns the write of the changes that drafts need. @param changeOf null for no change */
function writeOf<T extends PlaceRow>(
  placement: Placement<T>,
  drafts: readonly Draft[],
  changeOf: (draft: Draft, n: number) => PlaceChange<T> | null,
): ItemWrite | undefined {
  const changes = new Map(drafts.map((draft, n) => [draft, changeOf(draft, n)]))
  if ([...changes.values()].every(change => change === null)) return undefined
  const moveOf = (draft: Draft): PlaceMove<T>[] => {
    const change = changes.get(draft)
    return change ? [{ ownerId: draft.ownerId, itemId: draft.id, ...change }] : []
  }
  return (ctx, written) => placeItems(ctx, placement, written.flatMap(moveOf))
}

function isAllowed(ctx: ReadContext, { feature }: Pick<Placement, 'feature'>, { project }: Draft): boolean {
  return feature === undefined || featureOn(ctx, feature, project)
}
