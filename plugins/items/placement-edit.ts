import type { Contribution } from 'tasuki/plugin'
import { featureOn } from '../projects/index.ts'
import { choosePlace } from './placement/contribute.ts'
import { findPlaces, placeOf } from './placement/placement.repository.ts'
import type { Placement, PlaceRow } from './placement/placement.ts'
import { itemEdits, type ItemEdit } from './points.ts'

/** Lets people choose the place of an item, on the page that edits it, among those that accept the item. */
export function placementEdit<T extends PlaceRow>(placement: Placement<T>, label: ItemEdit['label']): Contribution {
  const { noun: name, feature } = placement
  return itemEdits({
    name,
    label,
    async load(ctx, item) {
      if (feature !== undefined && !featureOn(ctx, feature, item.project)) return null
      const of = { items: [item.id], projects: [item.project.id] }
      const places = await findPlaces(ctx, placement, [item.ownerId], of)
      const from = placeOf(places, item.id)
      const isOpen = (to: T | null): boolean => !placement.refuse?.({ from, to, field: name }, item)
      const open = places.filter(to => to.id === from?.id || isOpen(to)).map(({ id, path }) => [id, path] as const)
      const choices = isOpen(null) ? [['', '–'] as const, ...open] : open
      return choices.length < 2 ? null : { value: from?.id ?? '', choices: Object.fromEntries(choices) }
    },
    prepare: (ctx, drafts, text) => choosePlace(ctx, placement, drafts, { text, field: name }),
  })
}
