import { structuredPatch } from 'diff'
import { defineTool, Type } from 'tasuki/plugin'
import { changedDetail } from '../detail-edit.ts'
import { draftOf } from '../drafting.ts'
import { requireItem } from '../find.ts'
import { itemRef } from '../refs.ts'
import { checkFresh, writeItem } from '../write.ts'

const Input = Type.Object(
  {
    item_ref: itemRef(),
    new_detail: Type.String({ maxLength: 32_000, description: 'The complete new Markdown body.' }),
    instruction: Type.Optional(Type.String({ maxLength: 2000, description: 'What was asked for, kept with the revision.' })),
  },
  { additionalProperties: false },
)

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
  summary: 'Replaces the whole body of an item and returns the change as unified-diff hunks for review, with the revision_id of the former body. For small changes use items_patch detail_edits.',
  rank: 113,
  input: Input,
  output: Type.Object({
    item_ref: Type.String(),
    changed: Type.Array(Type.String()),
    hunks: Type.Array(Hunk),
    revision_id: Type.Optional(Type.String()),
    updated_at: Type.String(),
  }),
  async run(ctx, { item_ref: ref, new_detail: after, instruction }) {
    const item = await requireItem(ctx, ref, { write: true, lock: true })
    checkFresh(ctx, item)
    const draft = draftOf(item, instruction ?? null)
    draft.after.detail = changedDetail(item.detail, { detail: after })
    const revisions = await writeItem(ctx, draft, { tool: 'items_patch', input: {}, revisionNote: instruction ?? null })
    const revision = revisions.get(item.id)
    return {
      item_ref: draft.ref,
      changed: draft.changes.map(change => change.field),
      hunks: hunksOf(item.detail, after),
      ...(revision !== undefined && { revision_id: revision }),
      updated_at: draft.changes.length > 0 ? ctx.now.toISOString() : item.updatedAt,
    }
  },
})

/** Milliseconds after which a diff of two very different bodies is given up and shown as one hunk. */
const DIFF_MS = 500

function hunksOf(before: string, after: string) {
  if (before === after) return []
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, timeout: DIFF_MS })
  if (!patch) {
    const [old, fresh] = [before.split('\n'), after.split('\n')]
    return [{ old_start: 1, old_lines: old.length, new_start: 1, new_lines: fresh.length, lines: [...old.map(line => `-${line}`), ...fresh.map(line => `+${line}`)] }]
  }
  return patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    old_start: oldStart,
    old_lines: oldLines,
    new_start: newStart,
    new_lines: newLines,
    // Bodies rarely end with a line break: the remark about it would stand in nearly every diff.
    lines: lines.filter(line => !line.startsWith('\\')),
  }))
}
