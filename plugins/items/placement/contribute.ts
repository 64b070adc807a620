import { ToolError, type Contribution, type ReadContext } from 'tasuki/plugin'
import { featureDisabled, featureOn } from '../../projects/index.ts'
import { itemMoves, itemParams, type Draft, type ItemWrite } from '../points.ts'
import { placementFields } from './item-fields.repository.ts'
import { findNamed } from './pick.ts'
import { findPlaces, placeItems, type FilledPlace } from './placement.repository.ts'
import type { PlaceChange, Placement, PlacementParam, PlaceRow } from './placement.ts'

/**
 * Returns everything that a placement adds to items: parameters, moves between projects, output fields, a filter key, a value of `has:`.
 */
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
      return choose(ctx, placement, drafts, { text: value ?? '', field })
    },
  })
}

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
  const owners = able.map(draft => draft.ownerId)
  const places = await findPlaces(ctx, placement, owners, {
    items: able.filter(draft => draft.before !== null).map(draft => draft.id),
    projects: isBlank(text) ? [] : able.map(draft => draft.project.id),
  })
  const chosen = new Map<Draft, PlaceChange<T>>()
  for (const draft of able) {
    const { id, key: projectKey } = draft.project
    const own = places.filter(place => place.projectId === id)
    const to = isBlank(text) ? null : findNamed(placement, own, text, { projectKey, field })
    if (to instanceof ToolError) {
      draft.problems.push(to)
      continue
    }
    const from = placeOf(places, draft.id)
    if (from?.id === to?.id) continue
    const refusal = placement.refuse?.({ from, to, field }, draft.after.completedAt !== null)
    if (refusal) draft.problems.push(refusal)
    draft.change(placement.noun, from?.path ?? null, to?.path ?? null)
    chosen.set(draft, { from, to, field })
  }
  return writeOf(placement, chosen)
}

/** A new item inherits the place of its parent, unless that place accepts no new items or belongs to another project. */
async function inherit<T extends PlaceRow>(ctx: ReadContext, placement: Placement<T>, drafts: readonly Draft[]) {
  const children = drafts.flatMap(draft =>
    draft.parent?.project.id === draft.project.id && allows(ctx, placement, draft)
      ? [{ draft, parentId: draft.parent.id }]
      : [],
  )
  if (children.length === 0) return undefined
  const owners = children.map(({ draft }) => draft.ownerId)
  const places = await findPlaces(ctx, placement, owners, { items: children.map(({ parentId }) => parentId) })
  const chosen = new Map<Draft, PlaceChange<T>>()
  for (const { draft, parentId } of children) {
    const choice = { from: null, to: placeOf(places, parentId), field: placement.noun }
    if (!choice.to || placement.refuse?.(choice, false)) continue
    draft.change(placement.noun, null, choice.to.path)
    chosen.set(draft, choice)
  }
  return writeOf(placement, chosen)
}

/** Items that move to another project go to the place with the same path there, or to none if it is missing or accepts no new items. */
function placementMoves<T extends PlaceRow>(placement: Placement<T>): Contribution {
  const { noun, movesByName } = placement
  return itemMoves(async (ctx, moves) => {
    const { ownerId, project } = moves[0]!.draft
    const items = moves.map(({ draft }) => draft.id)
    const places = await findPlaces(ctx, placement, [ownerId], { items, projects: [project.id] })
    const options = { projectKey: project.key, field: 'to_project' }
    const isOpen = (to: T): boolean => !placement.refuse?.({ ...options, from: null, to }, false)
    const there = places.filter(place => place.projectId === project.id && isOpen(place))
    const chosen = new Map<Draft, PlaceChange<T>>()
    for (const { draft, keep, lose } of moves) {
      const from = placeOf(places, draft.id)
      if (!from) continue
      const same = there.find(place => place.pathKey === from.pathKey) ?? null
      const found = same ?? (movesByName ? findNamed(placement, there, from.path, options) : null)
      const to = found instanceof ToolError ? null : found
      chosen.set(draft, { from, to, field: options.field })
      if (to) keep(noun, from.path, to.path)
      else lose(noun, from.path)
    }
    return writeOf(placement, chosen)
  })
}

type Chosen<T> = ReadonlyMap<Draft, PlaceChange<T>>

function writeOf<T extends PlaceRow>(placement: Placement<T>, chosen: Chosen<T>): ItemWrite | undefined {
  if (chosen.size === 0) return undefined
  return (ctx, drafts) => {
    const written = drafts.filter(draft => chosen.has(draft))
    const moves = written.map(draft => ({ ownerId: draft.ownerId, itemId: draft.id, ...chosen.get(draft)! }))
    return placeItems(ctx, placement, moves)
  }
}

function placeOf<T>(places: readonly FilledPlace<T>[], itemId: string): FilledPlace<T> | null {
  return places.find(place => place.items.includes(itemId)) ?? null
}

function allows(ctx: ReadContext, { feature }: Pick<Placement, 'feature'>, { project }: Draft): boolean {
  return feature === undefined || featureOn(ctx, feature, project)
}
