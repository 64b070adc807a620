import type { ReadContext } from 'tasuki/plugin'
import { itemFields, type ItemFields } from './points.ts'

/** In code points; max null = to the end. */
export interface Slice {
  readonly offset: number
  readonly max: number | null
}

export interface Shape {
  /** Flags that are on (`include_area`); or `single`, for all that is known of one item; or `written`, for the answer of a write. */
  readonly flags: ReadonlySet<string> | 'single' | 'written'
  /** How much of the body: none, the beginning, or a slice. */
  readonly detail: 'none' | 'snippet' | 'full' | Slice
}

/** Reads of one item have these fields. */
export function onSingle({ single }: ItemFields): boolean {
  return single !== false
}

function chooseFields(ctx: ReadContext, { flags }: Shape): readonly ItemFields[] {
  const fields = ctx.all(itemFields)
  if (flags === 'single') return fields.filter(onSingle)
  if (flags === 'written') return fields.filter(({ when, written }) => when === 'always' || written !== undefined)
  return fields.filter(({ when }) => when === 'always' || flags.has(when))
}

/** Makes something of the fields that a shape has, once for each shape of a host. */
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
