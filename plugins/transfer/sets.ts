import { clip, type WriteContext } from 'tasuki/plugin'
import { imported } from './audit.ts'
import type { Content } from './content.ts'
import { announceItems, importItems, type ImportChoice, type ImportOutcome } from './import.ts'
import { PROBLEMS } from './parse-file.ts'

/** Items per transaction: larger sets would block other writers for longer, smaller ones need more statements. */
const SET = 500

/** Progress of an import. */
export interface Position extends ImportOutcome {
  /** Number of processed items of the file. */
  readonly from: number
  /** Number of problems beyond the stored ones. */
  readonly more: number
}

export const beginImport = ({ problems, more }: Content): Position => ({
  from: 0,
  created: 0,
  known: 0,
  problems,
  more,
})

/** Imports the items after a position, in the transaction of the call. @returns the next position */
export async function importNextSet(
  ctx: WriteContext,
  { items }: Content,
  choice: ImportChoice,
  before: Position,
): Promise<Position> {
  const from = Math.min(before.from + SET, items.length)
  // The next set is announced before the database works on this one, so that process and database do not wait for each other.
  announceItems(ctx, items.slice(before.from, from + SET))
  const { created, known, problems } = await importItems(ctx, items.slice(before.from, from), choice)
  const all = [...before.problems, ...problems]
  return {
    from,
    created: before.created + created,
    known: before.known + known,
    problems: all.slice(0, PROBLEMS),
    more: before.more + Math.max(all.length - PROBLEMS, 0),
  }
}

/** Records a finished import in the audit trail. */
export function recordImported(
  ctx: WriteContext,
  { project, format, from }: ImportChoice,
  { created, known, problems, more }: Position,
): void {
  ctx.audit({
    action: imported,
    target: { kind: 'project', id: project.id, name: project.key },
    details: { format, file: clip(from, 200), created, known, problems: problems.length + more },
  })
}
