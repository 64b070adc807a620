import { structuredPatch, type StructuredPatchHunk } from 'diff'
import { setImmediate } from 'node:timers/promises'

/** Up to this many changed lines, the comparison has no time limit. */
const UNTIMED_CHANGES = 200
/** Time limit in milliseconds for larger comparisons, which block the event loop. */
const TIMEOUT_MS = 20

/** Compares two texts line by line, with three lines of context. @returns null when the texts differ too much */
export async function compareLines(before: string, after: string): Promise<readonly StructuredPatchHunk[] | null> {
  const compare = (limit: { readonly maxEditLength: number } | { readonly timeout: number }) =>
    structuredPatch('', '', before, after, undefined, undefined, { context: 3, ...limit })
  // A time limit alone would miss small changes on a busy machine.
  const patch = compare({ maxEditLength: UNTIMED_CHANGES })
  if (patch) return patch.hunks
  await setImmediate()
  return compare({ timeout: TIMEOUT_MS })?.hunks ?? null
}
