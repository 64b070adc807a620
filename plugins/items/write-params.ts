import {
  choice,
  clearable,
  continuedText,
  date,
  guarded,
  notBlank,
  nullable,
  time,
  timestamp,
  ToolError,
  Type,
} from 'tasuki/plugin'
import type { ReadContext, Static } from 'tasuki/plugin'
import { DETAIL_LIMIT } from './detail-edit.ts'
import { PRIORITIES, type Draft } from './draft.ts'

export const title = notBlank(Type.String({ minLength: 1, maxLength: 200, description: 'Title.' }))
export const detail = (description = 'Markdown body.') =>
  continuedText(description, 32_000, { total: DETAIL_LIMIT, tool: 'items_patch', parameter: 'detail_append' })
export const priority = choice(PRIORITIES, { description: 'Priority.' })
export const reason = Type.Optional(
  guarded(Type.String({ description: 'Why, kept in the history.' }), { maxLength: 2000 }),
)

const STATE_WORDS = ['state', 'status', 'status_id', 'completed', 'completed_at', 'is_completed', 'closed', 'done']
/** Answers parameters that do not exist and would change the state. */
export const stateMisnomers = (hint: string): Readonly<Record<string, string>> =>
  Object.fromEntries(STATE_WORDS.map(word => [word, hint]))

/** The plain fields that items_patch and items_bulk_patch share. */
export const patchParams = {
  title: Type.Optional(title),
  due_date: Type.Optional(nullable(date('YYYY-MM-DD; null clears.', { clearable: true }))),
  due_time: Type.Optional(nullable(time('HH:MM; null = all day.', { clearable: true }))),
  start_date: Type.Optional(date('YYYY-MM-DD; empty clears.', { clearable: true })),
  priority: Type.Optional(clearable(priority)),
  archived_at: Type.Optional(nullable(timestamp('Archived since; null unarchives.'))),
}
const PatchParams = Type.Object(patchParams)
export type PatchInput = Static<typeof PatchParams>

/**
 * Applies the plain fields of a patch to the draft; errors become problems of the draft. `keepTime` keeps the due time when the due date
 * changes.
 */
export function applyPatch(draft: Draft, input: PatchInput, { keepTime = false } = {}): void {
  const { after } = draft
  if (input.title !== undefined) after.title = input.title
  if (input.start_date !== undefined) after.startDate = input.start_date || null
  if (input.priority !== undefined) after.priority = input.priority || null
  // An archived item keeps its time, so that a repeated call changes nothing.
  if (input.archived_at) after.archivedAt ??= new Date(input.archived_at).toISOString()
  else if (input.archived_at === null) after.archivedAt = null
  const dueTime = input.due_time === undefined && keepTime && input.due_date ? after.dueTime : input.due_time
  applyDue(draft, input.due_date, dueTime)
}

/** Warns of arguments that were null although null does not clear them, because a caller may expect that. */
export function warnOfNulls({ call: { nulls = [] } }: ReadContext, drafts: readonly Draft[]): void {
  // Nothing to append or to replace is no change.
  const names = nulls.filter(name => !name.startsWith('detail_'))
  if (names.length === 0) return
  const warning = `null left ${names.join(', ')} as before; an empty text or list clears what may be empty.`
  for (const { warnings } of drafts) warnings.push(warning)
}

/** Applies a due date and time: a date without a time makes the item all-day; a time and an event require a date. */
export function applyDue(draft: Draft, dueDate: string | null | undefined, dueTime: string | null | undefined): void {
  const { after } = draft
  const date = dueDate === undefined ? after.dueDate : dueDate || null
  // Without one it would be in no calendar, and nobody would find it again.
  if (after.type === 'event' && date === null && after.dueDate !== null)
    draft.problems.push(
      new ToolError('missing_argument', 'An event needs a date.', {
        field: 'due_date',
        hint: 'Give the new date. What does not take place is archived: archived_at.',
      }),
    )
  if (date !== after.dueDate && dueTime === undefined) after.dueTime = null
  after.dueDate = date
  if (dueTime === undefined) return
  after.dueTime = dueTime || null
  if (date !== null || after.dueTime === null) return
  const why = draft.before === null || dueDate !== undefined ? '' : `, and ${draft.ref} has none`
  draft.problems.push(
    new ToolError('invalid_argument', `due_time ${dueTime} needs a due_date${why}.`, {
      field: 'due_time',
      hint: 'Give due_date in the same call.',
    }),
  )
}
