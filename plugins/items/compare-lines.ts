import { structuredPatch, type StructuredPatchHunk } from 'diff'
import { setImmediate } from 'node:timers/promises'

/** Up to this many changed lines, the comparison has no time limit. */
const UNTIMED_CHANGES = 200
/** More changed lines than this are never found within the time limit, unless one text only continues the other. */
const TIMED_CHANGES = 5_000
/** Time limit in milliseconds for larger comparisons, which block the event loop, and the least that is left of it. */
const TIMEOUT_MS = 20
const TIMEOUT_MIN_MS = 5
/** Milliseconds of a turn of the event loop, including splitting the texts into lines. */
const TURN_MS = 30

/** Compares two texts line by line, with three lines of context. @returns null when the texts differ too much */
export async function compareLines(before: string, after: string): Promise<readonly StructuredPatchHunk[] | null> {
  // So many lines at least were added or removed.
  const changes = Math.abs(countLines(before) - countLines(after))
  if (changes > TIMED_CHANGES && !after.startsWith(before) && !before.startsWith(after)) return null
  const compare = (limit: { readonly maxEditLength: number } | { readonly timeout: number }) =>
    structuredPatch('', '', before, after, undefined, undefined, { context: 3, ...limit })
  const began = performance.now()
  // A time limit alone would miss small changes on a busy machine.
  const patch = changes <= UNTIMED_CHANGES ? compare({ maxEditLength: UNTIMED_CHANGES }) : undefined
  if (patch) return patch.hunks
  const left = TURN_MS - (performance.now() - began)
  await setImmediate()
  return compare({ timeout: Math.min(Math.max(left, TIMEOUT_MIN_MS), TIMEOUT_MS) })?.hunks ?? null
}

export function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
