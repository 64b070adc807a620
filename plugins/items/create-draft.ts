import { HOUR_MS, uuid } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { ITEM_COLUMNS, type Draft, type FieldChange, type ItemRow, type ItemValues } from './draft.ts'

const NAMES = Object.keys(ITEM_COLUMNS) as readonly (keyof ItemValues)[]

/** Returns the values of an item that a write may change. */
export function valuesOf(item: ItemValues): ItemValues {
  return Object.fromEntries(NAMES.map(name => [name, item[name]])) as unknown as ItemValues
}

/** Starts a change of an item that was loaded and locked. */
export function draftOf(item: ItemRow, reason: string | null = null): Draft {
  return makeDraft({
    ownerId: item.ownerId,
    id: item.id,
    number: item.number,
    project: item.project,
    workflowId: item.workflowId,
    before: item,
    after: valuesOf(item),
    parent: null,
    reason,
    madeAt: null,
  })
}

/** Starts the move of an item into another project of its owner. */
export function draftMove(item: ItemRow, project: ProjectRow, workflowId: string, reason: string | null): Draft {
  return makeDraft({ ...draftOf(item, reason), project, workflowId })
}

export interface NewItem {
  readonly project: ProjectRow
  readonly workflowId: string
  readonly values: ItemValues
  readonly parent?: ItemRow | null
  /** The reason for the history. */
  readonly reason?: string
  readonly madeAt?: string | null
}

/** Starts a new item; it gets its number when it is written. */
export function newDraft({ project, workflowId, values, parent = null, reason, madeAt }: NewItem): Draft {
  return makeDraft({
    ownerId: project.ownerId,
    id: uuid(),
    number: null,
    project,
    workflowId,
    before: null,
    after: values,
    parent,
    reason: reason ?? null,
    madeAt: madeAt ?? null,
  })
}

type Start = Pick<
  Draft,
  'ownerId' | 'id' | 'project' | 'workflowId' | 'before' | 'after' | 'parent' | 'reason' | 'madeAt'
>

function makeDraft({ number, ...start }: Start & { readonly number: number | null }): Draft {
  const changes: FieldChange[] = []
  let assigned = number
  const known = (): number => {
    if (assigned === null) throw new Error('A new item has no number before it is written')
    return assigned
  }
  return {
    ...start,
    get number() {
      return known()
    },
    get ref() {
      return `${start.project.key}#${known()}`
    },
    problems: [],
    warnings: [],
    changes,
    change: (field, from, to) => void changes.push({ field, from, to }),
    assignNumber(next) {
      assigned = next
    },
  }
}

/** Wire names of the plain fields. */
const FIELDS = [
  ['title', 'title'],
  ['detail', 'detail'],
  ['due_date', 'dueDate'],
  ['due_time', 'dueTime'],
  ['start_date', 'startDate'],
  ['priority', 'priority'],
  ['kind', 'kind'],
  ['archived_at', 'archivedAt'],
] as const satisfies readonly (readonly [string, keyof ItemValues])[]

/** Returns the plain fields among the given wire names. */
export function plainValues(values: ItemValues, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    FIELDS.flatMap(([field, column]) => (names.includes(field) ? [[field, values[column]]] : [])),
  )
}

/** Records which plain fields differ from the item before the write. */
export function recordFieldChanges(draft: Draft): void {
  if (!draft.before) return
  for (const [field, column] of FIELDS) {
    const [from, to] = [draft.before[column], draft.after[column]]
    if (from !== to) draft.change(field, from, to)
  }
}

/**
 * Warns of a start after the due date, which is not refused because other programs allow it and their items are imported, and of an archive
 * date to come.
 */
export function warnOfDates({ before, after, warnings }: Draft, now: Date): void {
  const { startDate, dueDate, archivedAt } = after
  // Clocks of clients may be ahead by a little.
  if (archivedAt !== null && before?.archivedAt === null && Date.parse(archivedAt) > now.getTime() + HOUR_MS)
    warnings.push(`archived_at ${archivedAt} is in the future, but items are archived at once.`)
  if (startDate === null || dueDate === null || startDate <= dueDate) return
  if (startDate === before?.startDate && dueDate === before.dueDate) return
  warnings.push(`start_date ${startDate} is after due_date ${dueDate}; change one of them if that is not meant.`)
}
