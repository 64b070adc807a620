import { clip, type WriteContext } from 'tasuki/plugin'
import { imported } from './audit.ts'
import type { Content } from './content.ts'
import { importItems, type ImportChoice } from './import.ts'
import type { ImportProblem } from './points.ts'

/** Items of one transaction: more would hold others up for longer, fewer would cost more statements. */
const SET = 500
/** Problems that are kept. */
export const PROBLEMS = 200

/** How far an import is. */
export interface Position {
  /** Items of the file that it is through with. */
  readonly from: number
  readonly created: number
  /** Those that were there already. */
  readonly known: number
  readonly problems: readonly ImportProblem[]
  /** Problems that are not among them. */
  readonly more: number
}

export const beginImport = ({ problems }: Content): Position => ({
  from: 0,
  created: 0,
  known: 0,
  problems: problems.slice(0, PROBLEMS),
  more: Math.max(problems.length - PROBLEMS, 0),
})

/** Imports the items that follow a position, in the transaction of the call. @returns the position after them */
export async function importNextSet(
  ctx: WriteContext,
  { items }: Content,
  choice: ImportChoice,
  before: Position,
): Promise<Position> {
  const from = Math.min(before.from + SET, items.length)
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

/** Tells the audit trail of an import that is through. */
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
