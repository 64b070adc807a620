import type { ReadContext } from 'tasuki/plugin'
import type { ItemType } from './draft.ts'
import { findMatchingRefs } from './item.repository.ts'

/** Suggests references by their beginning, or by number or words of the title; those changed last come first. One statement. */
export async function suggestRefs(ctx: ReadContext, type: ItemType, typed: string): Promise<readonly string[]> {
  return [...new Set(await findMatchingRefs(ctx, type, typed.normalize('NFKC').trim(), 100))]
}
