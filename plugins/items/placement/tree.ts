import { nameKey, ToolError } from 'tasuki/plugin'
import type { Placement, PlaceRow } from './placement.ts'

type TreeRow = Pick<PlaceRow, 'id' | 'parentId' | 'key' | 'path' | 'depth'>

export function childrenOf<T extends TreeRow>(rows: readonly T[], parentId: string | null): T[] {
  return rows.filter(row => row.parentId === parentId)
}

/** True for the root itself, too. */
export function isWithin(rows: readonly TreeRow[], row: TreeRow, root: TreeRow): boolean {
  for (let at: TreeRow | undefined = row; at; at = rows.find(({ id }) => id === at?.parentId)) {
    if (at.id === root.id) return true
  }
  return false
}

/** The root and all below it. */
export function subtree<T extends TreeRow>(rows: readonly T[], root: T): T[] {
  return rows.filter(row => isWithin(rows, row, root))
}

/** A position that a row takes. */
export interface Position<T> {
  /** The row that moves there; null = a new one. */
  readonly row: T | null
  /** Null = top level. */
  readonly parent: T | null
  /** The parameter that names the parent. */
  readonly field: string
}

/** What speaks against a position: a cycle, too many levels, a parent that takes nothing new. */
export function positionProblems<T extends PlaceRow>(
  { noun, levels, refuseEntry }: Pick<Placement<T>, 'noun' | 'levels' | 'refuseEntry'>,
  rows: readonly T[],
  { row, parent, field }: Position<T>,
): ToolError[] {
  if (!parent || row?.parentId === parent.id) return []
  if (row && isWithin(rows, parent, row)) {
    const where = parent.id === row.id ? 'itself' : `${parent.path}, which is part of it`
    const hint = `Choose a parent outside of the ${noun}.`
    return [new ToolError('cycle', `${row.path} cannot move below ${where}.`, { field, hint })]
  }
  const problems: ToolError[] = []
  const height = row ? Math.max(...subtree(rows, row).map(({ depth }) => depth)) - row.depth + 1 : 1
  if (parent.depth + height > levels) {
    const message = `Below ${parent.path} this would make ${parent.depth + height} levels of ${noun}s; ${levels} is the most.`
    problems.push(new ToolError('limit_exceeded', message, { field, hint: 'Choose a parent nearer to the top.' }))
  }
  const refusal = refuseEntry?.(parent, field)
  if (refusal) problems.push(refusal)
  return problems
}

/** The row of the same name at a position, besides the one that moves there. */
export function findNamesake<T extends TreeRow>(
  rows: readonly T[],
  name: string,
  { row, parent }: Pick<Position<T>, 'row' | 'parent'>,
): T | undefined {
  return childrenOf(rows, parent?.id ?? null).find(other => other.key === nameKey(name) && other.id !== row?.id)
}
