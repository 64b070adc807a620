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

function chooseFields(ctx: ReadContext, { flags }: Shape): readonly ItemFields[] {
  const fields = ctx.all(itemFields)
  if (flags === 'single') return fields.filter(isOnSingleRead)
  if (flags === 'written') return fields.filter(({ when, written }) => when === 'always' || written !== undefined)
  return fields.filter(({ when }) => when === 'always' || flags.has(when))
}

/** Memoizes a value derived from the fields of a shape, per host and shape. */
export function memoizeByShape<T>(
  make: (fields: readonly ItemFields[], shape: Shape) => T,
): (ctx: ReadContext, shape: Shape) => T {
  const byFields = new WeakMap<readonly ItemFields[], Map<string, T>>()
  return (ctx, shape) => {
    const all = ctx.all(itemFields)
    let shapes = byFields.get(all)
    if (!shapes) byFields.set(all, (shapes = new Map()))
    const name = typeof shape.flags === 'string' ? shape.flags : [...shape.flags].toSorted().join()
    let made = shapes.get(name)
    if (!made) shapes.set(name, (made = make(chooseFields(ctx, shape), shape)))
    return made
  }
}
