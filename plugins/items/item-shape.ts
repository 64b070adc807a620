import type { ReadContext } from 'tasuki/plugin'
import { itemFields, type ItemFields } from './points.ts'

/** In code points; max null = to the end. */
export interface Slice {
  readonly offset: number
  readonly max: number | null
}

export interface Shape {
  /** The enabled flags (`include_area`); or `single` for a read of one item; or `written` for the result of a write. */
  readonly flags: ReadonlySet<string> | 'single' | 'written'
  /** The part of the body: none, the beginning, the whole or a slice. */
  readonly detail: 'none' | 'snippet' | 'full' | Slice
}

/** Returns whether reads of one item include these fields. */
export function isOnSingleRead({ single }: ItemFields): boolean {
  return single !== false
}

/** Returns the contributed fields of a shape. */
export function chooseFields(ctx: ReadContext, { flags }: Shape): readonly ItemFields[] {
  const fields = ctx.all(itemFields)
  if (flags === 'single') return fields.filter(isOnSingleRead)
  if (flags === 'written') return fields.filter(({ when, written }) => when === 'always' || written !== undefined)
  return fields.filter(({ when }) => when === 'always' || flags.has(when))
}

/** Returns a name for the flags of a shape, the same for the same flags in any order. */
export function nameOfFlags({ flags }: Shape): string {
  return typeof flags === 'string' ? flags : [...flags].toSorted().join()
}
