import { quoteName, ToolError, type WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../../projects/index.ts'
import type { ItemRow } from '../draft.ts'
import { draftOf } from '../create-draft.ts'
import { requireItem } from '../find.ts'
import { toItemChange, toItemOfRow } from '../item-row.repository.ts'
import { readWritten, type Written } from '../result.ts'
import { recordChanges, requireItemUnchanged } from '../write.ts'
import { emptyPlaces, findPlaces, placeItems, placeOf } from './placement.repository.ts'
import type { Placement, PlaceRow } from './placement.ts'

export interface Assignment<T> {
  /** The project whose places the caller has read; without it, `choose` gets all places of the item's own project. */
  readonly project?: ProjectRow
  /** The parameter that names the place. */
  readonly field: string
  /** Returns the new place for the current one; null = none. */
  choose(before: T | null, places: readonly T[], item: ItemRow): T | null
}

/** Assigns one item to a place, for tools that do only this. @throws ToolError not_found, invalid_argument, and what `choose` throws */
export async function assignItem<T extends PlaceRow>(
  ctx: WriteContext,
  placement: Placement<T>,
  ref: string,
  { project, field, choose }: Assignment<T>,
): Promise<Written> {
  const { noun } = placement
  const item = await requireItem(ctx, ref, { write: true, lock: true })
  if (project && item.project.id !== project.id)
    throw new ToolError('invalid_argument', `${ref} is an item of ${item.project.key}, not of ${project.key}.`, {
      field: 'item_ref',
      hint: `An item can only be in ${noun}s of its own project.`,
    })
  requireItemUnchanged(ctx, item)
  const { ownerId, id: itemId } = item
  const draft = draftOf(item)
  const projects = project ? [] : [item.project.id]
  const places = await findPlaces(ctx, placement, [ownerId], { items: [itemId], projects })
  const from = placeOf(places, itemId)
  const to = choose(from, places, item)
  if (to?.id === from?.id) return readWritten(ctx, draft)
  const move = { ownerId, itemId, from, to, field }
  const refusal = placement.refuse?.(move, item)
  if (refusal) throw refusal
  const [before, after] = [from?.path ?? null, to?.path ?? null]
  draft.change(noun, before, after)
  await placeItems(ctx, placement, [move])
  await recordChanges(ctx, [toItemChange(toItemOfRow(item), `item.${noun}.changed`, { from: before, to: after })])
  const result = await readWritten(ctx, draft)
  return to ? result : { ...result, item: { ...result.item, [placement.writtenField]: null } }
}

/** Removes an item from a place. @throws ToolError invalid_argument if the item is in another place, and what `assignItem` throws */
export function removeItem<T extends PlaceRow>(
  ctx: WriteContext,
  placement: Placement<T>,
  ref: string,
  { project, place }: { readonly project: ProjectRow; readonly place: T },
): Promise<Written> {
  const { noun: field } = placement
  return assignItem(ctx, placement, ref, {
    project,
    field,
    choose(before) {
      if (!before || before.id === place.id) return null
      const message = `${ref} is in the ${field} ${quoteName(before.path)}, not in ${quoteName(place.path)}.`
      throw new ToolError('invalid_argument', message, { field, allowed: [before.path] })
    },
  })
}

/** Removes all items from places that are about to be deleted, and records the changes. @returns the number of items */
export async function detachItems(
  ctx: WriteContext,
  placement: Pick<Placement, 'noun' | 'memberTable' | 'column'>,
  project: ProjectRow,
  places: readonly Pick<PlaceRow, 'id' | 'path'>[],
): Promise<number> {
  const { ownerId, key } = project
  const paths = new Map(places.map(({ id, path }) => [id, path]))
  const items = await emptyPlaces(ctx, placement, ownerId, [...paths.keys()])
  const changes = items.map(({ id, number, title, placeId }) => {
    const item = { id, title, ref: `${key}#${number}` }
    const change = { from: paths.get(placeId) ?? null, to: null }
    return toItemChange({ ownerId, item, project }, `item.${placement.noun}.changed`, change)
  })
  await recordChanges(ctx, changes)
  return items.length
}
