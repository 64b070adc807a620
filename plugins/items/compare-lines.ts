import { structuredPatch, type StructuredPatchHunk } from 'diff'
import { setImmediate } from 'node:timers/promises'

/** Changed lines that are always found. */
const FEW_CHANGES = 200
/** Milliseconds that more of them are looked for; nothing else runs meanwhile. */
const LONGEST_MS = 20

/** Compares two texts line by line, with three lines around each change. @returns null for texts that are too different */
export async function compareLines(before: string, after: string): Promise<readonly StructuredPatchHunk[] | null> {
  const compare = (limit: { readonly maxEditLength: number } | { readonly timeout: number }) =>
    structuredPatch('', '', before, after, undefined, undefined, { context: 3, ...limit })
  // Not by time alone: on a busy machine small changes have to be found too.
  const patch = compare({ maxEditLength: FEW_CHANGES })
  if (patch) return patch.hunks
  await setImmediate()
  return compare({ timeout: LONGEST_MS })?.hunks ?? null
}
