import { normalizeText, type Condition, type ReadContext } from 'tasuki/plugin'
import { itemRefs } from '../points.ts'
import { isReferencedItem } from './filter.repository.ts'
import { parseItemRef } from './resolve.ts'

/** Returns the condition that the item `i` in project `p` is the one that a word such as `APP#12` names; null if the word is no reference. */
export function isNamedBy(ctx: ReadContext, word: string): Condition | null {
  const text = normalizeText(word).trim()
  // A number alone is more often an amount or a year.
  const ref = text.includes('#') ? parseItemRef(text) : null
  if (ref) return isReferencedItem(ctx, 'i', 'p', ref)
  const form = ctx.all(itemRefs).find(each => each.matches(text))
  return form ? form.sql(ctx, text) : null
}
