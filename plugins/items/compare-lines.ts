import { structuredPatch, type StructuredPatchHunk } from 'diff'
import { setImmediate } from 'node:timers/promises'

/** Lines that are shown before and after a change. */
const CONTEXT = 3
/** Up to this many changed lines, the comparison has no time limit. */
const UNTIMED_CHANGES = 200
/** If lines were only added or only removed, one side of the comparison is context: at most this many lines. */
const CONTEXT_ONLY = 2 * CONTEXT + 3
/** Splitting more lines than this, of both texts together, would take too long, unless lines were only added or removed. */
const MOST_LINES = 16_000
/** Time limit in milliseconds for larger comparisons, which block the event loop. */
const TIMEOUT_MS = 20

/** Compares two texts line by line, with up to three lines of context. @returns null when the texts differ too much */
export async function compareLines(before: string, after: string): Promise<readonly StructuredPatchHunk[] | null> {
  const { cut, middles } = cutCommonLines(before, after)
  const [old, fresh] = middles.map(countLines) as [number, number]
  if (old + fresh > MOST_LINES && Math.min(old, fresh) > CONTEXT_ONLY) return null
  const compare = (limit: { readonly maxEditLength: number } | { readonly timeout: number }) =>
    structuredPatch('', '', ...middles, undefined, undefined, { context: CONTEXT, ...limit })
  // A time limit alone would miss small changes on a busy machine.
  let patch = Math.abs(old - fresh) <= UNTIMED_CHANGES ? compare({ maxEditLength: UNTIMED_CHANGES }) : undefined
  if (!patch) {
    await setImmediate()
    patch = compare({ timeout: TIMEOUT_MS })
  }
  return patch?.hunks.map(hunk => ({ ...hunk, oldStart: hunk.oldStart + cut, newStart: hunk.newStart + cut })) ?? null
}

/** Leaves out the lines that both texts begin and end with, except for context. @returns how many at the beginning, and what is left */
function cutCommonLines(before: string, after: string): { readonly cut: number; readonly middles: [string, string] } {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  start = startOfLine(before, start)
  for (let n = 0; n < CONTEXT; n++) start = startOfLine(before, start - 1)
  const middleOf = (text: string): string => {
    let until = text.length - end
    // To the end of the line that differs, and of the context after it.
    for (let n = 0; n <= CONTEXT; n++) until = text.indexOf('\n', until) + 1 || text.length
    return text.slice(start, until)
  }
  return { cut: countLines(before.slice(0, start)) - 1, middles: [middleOf(before), middleOf(after)] }
}

function startOfLine(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

export function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
