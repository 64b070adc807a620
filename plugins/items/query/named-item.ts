import { contributedSql, normalizeText, type Condition, type ReadContext } from 'tasuki/plugin'
import { itemRefs } from '../points.ts'
import { anyOf, isReferencedItem } from './filter.repository.ts'
import { parseItemRef } from './resolve.ts'

/**
 * Returns the condition that the item `i` in project `p` is the one that a word such as `APP#12` or `APP-12` names; null if the word is no
 * reference.
 */
export function isNamedBy(ctx: ReadContext, word: string): Condition | null {
  const text = normalizeText(word).trim()
  const numbered = text.replace(/^([a-z]\w*)-(?=\d+$)/i, '$1#')
  // A number alone is more often an amount or a year.
  const ref = numbered.includes('#') ? parseItemRef(numbered) : null
  const form = ctx.all(itemRefs).find(each => each.matches(text))
  const named = form ? [contributedSql(form, () => form.sql(ctx, text))] : []
  const conditions = [...(ref ? [isReferencedItem(ctx, 'i', 'p', ref)] : []), ...named]
  return conditions.length === 0 ? null : anyOf(conditions)
}
