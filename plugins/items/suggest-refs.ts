import { normalizeText, type ReadContext } from 'tasuki/plugin'
import type { ItemType } from './draft.ts'
import { findMatchingRefs } from './item.repository.ts'

/** Suggests references by prefix, by number or by words of the title, last changed first, in one statement. */
export async function suggestRefs(ctx: ReadContext, type: ItemType, typed: string): Promise<readonly string[]> {
  return [...new Set(await findMatchingRefs(ctx, type, normalizeText(typed).trim(), 100))]
}
