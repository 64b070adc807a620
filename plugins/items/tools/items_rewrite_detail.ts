import { clip, defineTool, guarded, Type, type Static } from 'tasuki/plugin'
import { compareLines } from '../compare-lines.ts'
import { applyDetailChange } from '../detail-edit.ts'
import { draftOf } from '../create-draft.ts'
import { requireItem } from '../find.ts'
import { itemRef } from '../refs.ts'
import { readWritten, writtenOutput } from '../result.ts'
import { requireItemUnchanged, writeItem } from '../write.ts'
import { detail as bodyParam } from '../write-params.ts'

const Hunk = Type.Object({
  old_start: Type.Integer(),
  old_lines: Type.Integer(),
  new_start: Type.Integer(),
  new_lines: Type.Integer(),
  lines: Type.Array(Type.String()),
})

export const itemsRewriteDetail = defineTool({
  name: 'items_rewrite_detail',
  class: 'W',
  title: 'Rewrite body',
  summary:
    'Replaces the whole body of an item; returns diff hunks and the revision_id of the former body. For small changes use items_patch detail_edits.',
  rank: 320,
  input: {
    item_ref: itemRef(),
    new_detail: bodyParam('Complete Markdown body.'),
    instruction: Type.Optional(guarded(Type.String({ description: 'What was asked for.' }), { maxLength: 2000 })),
  },
  output: {
    ...writtenOutput.properties,
    hunks: Type.Array(Hunk),
    revision_id: Type.Optional(Type.String()),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  async run(ctx, { item_ref: ref, new_detail: detail, instruction = null }) {
    const item = await requireItem(ctx, ref, { write: true, lock: true })
    requireItemUnchanged(ctx, item)
    const draft = draftOf(item, instruction)
    draft.after.detail = applyDetailChange(item.detail, { detail })
    const revisions = await writeItem(ctx, draft, { tool: 'items_patch', input: {}, revisionNote: instruction })
    const revision = revisions.get(item.id)
    const hunks = await hunksOf(item.detail, detail)
    return { ...(await readWritten(ctx, draft)), hunks, ...(revision !== undefined && { revision_id: revision }) }
  },
  shorten: ({ hunks, warnings = [], ...data }, most) => ({
    ...data,
    hunks: cutHunks(hunks, most),
    warnings: [...warnings, `The body is replaced; the hunks are cut to ${most} characters.`],
  }),
})

function cutHunks(hunks: readonly Static<typeof Hunk>[], most: number): Static<typeof Hunk>[] {
  let left = most
  return hunks.flatMap(hunk => {
    const lines = hunk.lines.flatMap(line => {
      const kept = left > 0 ? clip(line, left) : null
      left -= line.length
      return kept ?? []
    })
    return lines.length > 0 ? [{ ...hunk, lines }] : []
  })
}

/** Follows a last line without a line break. */
const NO_BREAK = '\\ No newline at end of file'

async function hunksOf(before: string, after: string) {
  if (before === after) return []
  const found = await compareLines(before, after)
  if (!found) return [wholeHunk(before, after)]
  // Bodies rarely end with a line break: keeps the marker only if the change concerns it, or if one body is empty.
  const sameEnd = before !== '' && after !== '' && before.endsWith('\n') === after.endsWith('\n')
  return found.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    old_start: oldLines === 0 ? Math.max(0, oldStart - 1) : oldStart,
    old_lines: oldLines,
    new_start: newLines === 0 ? Math.max(0, newStart - 1) : newStart,
    new_lines: newLines,
    lines: sameEnd ? lines.filter(line => line !== NO_BREAK) : lines,
  }))
}

function wholeHunk(before: string, after: string) {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const lines = [...hunkLines('-', before, old), ...hunkLines('+', after, fresh)]
  return {
    old_start: Math.min(1, old.length),
    old_lines: old.length,
    new_start: Math.min(1, fresh.length),
    new_lines: fresh.length,
    lines,
  }
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function hunkLines(sign: string, text: string, lines: readonly string[]): string[] {
  return [...lines.map(line => sign + line), ...(text === '' || text.endsWith('\n') ? [] : [NO_BREAK])]
}
