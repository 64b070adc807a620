import { nameKey, quoteName, ToolError } from 'tasuki/plugin'
import type { Placement, PlaceRow } from './placement.ts'

type TreeRow = Pick<PlaceRow, 'id' | 'parentId' | 'key' | 'path' | 'depth'>

export function childrenOf<T extends TreeRow>(rows: readonly T[], parentId: string | null): T[] {
  return rows.filter(row => row.parentId === parentId)
}

/** Returns whether a row is the root or below it. */
export function isWithin(rows: readonly TreeRow[], row: TreeRow, root: TreeRow): boolean {
  for (let at: TreeRow | undefined = row; at; at = rows.find(({ id }) => id === at?.parentId)) {
    if (at.id === root.id) return true
  }
  return false
}

/** Returns the root and all rows below it. */
export function subtree<T extends TreeRow>(rows: readonly T[], root: T): T[] {
  return rows.filter(row => isWithin(rows, row, root))
}

/** The target position of a row; `row` null = a new row, `parent` null = the top level, `field` = the parameter that names the parent. */
export interface Position<T> {
  readonly row: T | null
  readonly parent: T | null
  readonly field: string
}

/** Returns the errors of a position: a cycle, too many levels, a parent that accepts no new rows. */
export function positionProblems<T extends PlaceRow>(
  { noun, levels, refuse }: Placement<T>,
  rows: readonly T[],
  { row, parent, field }: Position<T>,
): ToolError[] {
  if (!parent || row?.parentId === parent.id) return []
  if (row && isWithin(rows, parent, row)) {
    const where = parent.id === row.id ? 'itself' : `${quoteName(parent.path)}, which is part of it`
    const hint = `Choose a parent outside of the ${noun}.`
    return [new ToolError('cycle', `${quoteName(row.path)} cannot move below ${where}.`, { field, hint })]
  }
  const height = row ? Math.max(...subtree(rows, row).map(({ depth }) => depth)) - row.depth + 1 : 1
  const deepest = parent.depth + height
  const message = `Below ${quoteName(parent.path)} this would make ${deepest} levels of ${noun}s; ${levels} is the most.`
  const hint = 'Choose a parent nearer to the top.'
  const tooDeep = deepest > levels ? new ToolError('limit_exceeded', message, { field, hint }) : null
  return [tooDeep, refuse?.({ from: null, to: parent, field })].filter(problem => problem != null)
}

/** Finds another row with the same name at a position. */
export function findSameName<T extends TreeRow>(
  rows: readonly T[],
  name: string,
  { row, parent }: Pick<Position<T>, 'row' | 'parent'>,
): T | undefined {
  return childrenOf(rows, parent?.id ?? null).find(other => other.key === nameKey(name) && other.id !== row?.id)
}
