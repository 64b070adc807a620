import { ToolError } from 'tasuki/plugin'

/** Code points that a whole body may have. */
export const DETAIL_LIMIT = 100_000
/** Code points that one call may bring. */
export const DETAIL_PER_CALL = 32_000

export interface DetailEdit {
  readonly find: string
  readonly replace: string
  readonly occurrence?: 'first' | 'all'
}
export interface DetailChange {
  readonly detail?: string
  readonly detail_append?: string
  readonly detail_edits?: readonly DetailEdit[]
}

/** Applies a change of the body: replaced, appended to, or edited in order, all or nothing. @throws ToolError */
export function changedDetail(before: string, { detail, detail_append: append, detail_edits: edits }: DetailChange): string {
  const given = [detail !== undefined && 'detail', append !== undefined && 'detail_append', edits !== undefined && 'detail_edits'].filter(Boolean)
  if (edits !== undefined && given.length > 1) {
    throw new ToolError('invalid_argument', `detail_edits cannot be combined with ${given.slice(0, -1).join(' and ')}.`, {
      field: 'detail_edits',
      hint: 'Use one of them per call.',
    })
  }
  let after = detail ?? before
  if (append !== undefined) after += append
  edits?.forEach((edit, n) => (after = applyEdit(after, edit, n)))
  const length = codePoints(after)
  if (length > DETAIL_LIMIT) {
    throw new ToolError('limit_exceeded', `The body would have ${length} characters; the limit is ${DETAIL_LIMIT}.`, {
      field: given[0] || 'detail',
      hint: 'Move part of it to a note and refer to that.',
    })
  }
  return after
}

function applyEdit(text: string, { find, replace, occurrence = 'first' }: DetailEdit, n: number): string {
  if (find === '') throw new ToolError('invalid_argument', 'find must not be empty.', { field: `detail_edits[${n}].find` })
  if (!text.includes(find)) {
    throw new ToolError('invalid_argument', `The text of edit ${n + 1} is not in the body: "${excerpt(find)}".`, {
      field: `detail_edits[${n}].find`,
      hint: 'Read the body with items_get and copy the text exactly, line ends included. Nothing was changed.',
    })
  }
  // Functions, because `$&` in a replacement string would not mean itself.
  return occurrence === 'all' ? text.replaceAll(find, () => replace) : text.replace(find, () => replace)
}

function excerpt(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function codePoints(text: string): number {
  let count = 0
  for (let n = 0; n < text.length; n++) {
    const unit = text.charCodeAt(n)
    if (unit < 0xdc00 || unit > 0xdfff) count++
  }
  return count
}
