import { countCharacters, quoteName, ToolError } from 'tasuki/plugin'

/** Maximum length of a body in code points. */
export const DETAIL_LIMIT = 100_000

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

/** Applies a change to the body: replaces it, appends to it, or applies edits in order, all or nothing. @throws ToolError */
export function applyDetailChange(before: string, change: DetailChange): string {
  const { detail, detail_append: append, detail_edits: edits } = change
  if (edits !== undefined && (detail !== undefined || append !== undefined)) {
    const other = detail === undefined ? 'detail_append' : 'detail'
    throw new ToolError('invalid_argument', `detail_edits cannot be combined with ${other}.`, {
      field: 'detail_edits',
      hint: 'Use one of them per call.',
    })
  }
  const after = edits ? edits.reduce(applyEdit, before) : (detail ?? before) + (append ?? '')
  const length = countCharacters(after)
  if (length > DETAIL_LIMIT) {
    const field = edits ? 'detail_edits' : append === undefined ? 'detail' : 'detail_append'
    throw tooLong(`${length}`, field)
  }
  return after
}

function tooLong(length: string, field: string): ToolError {
  return new ToolError('limit_exceeded', `The body would have ${length} characters; the limit is ${DETAIL_LIMIT}.`, {
    field,
    hint: 'Move part of it to a note and refer to that.',
  })
}

/** Maximum length between two edits in UTF-16 units, so that edits cannot exhaust the memory. */
const BETWEEN_MAX = 10 * DETAIL_LIMIT

/** What clients see in place of invisible characters; the body does not have it. */
const HIDDEN_NOTE = /\[\d+ hidden characters?\]/

function applyEdit(text: string, { find, replace, occurrence = 'first' }: DetailEdit, n: number): string {
  const field = `detail_edits[${n}].find`
  if (!text.includes(find))
    throw new ToolError('invalid_argument', `The text of edit ${n + 1} is not in the body: ${quoteName(find, 80)}.`, {
      field,
      hint: HIDDEN_NOTE.test(find)
        ? 'The body has invisible characters where answers show that note: find the text before or after it. Nothing was changed.'
        : 'Read the body with items_get and copy the text exactly, line ends included. Nothing was changed.',
    })
  // A replacer function, because `$&` in a replacement string has a special meaning.
  if (occurrence === 'first') return text.replace(find, () => replace)
  const parts = text.split(find)
  const length = text.length + (parts.length - 1) * (replace.length - find.length)
  if (length > BETWEEN_MAX) throw tooLong(`about ${length}`, field)
  return parts.join(replace)
}
