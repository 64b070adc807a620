import { nameKey, quoteName, ToolError } from 'tasuki/plugin'
import { childrenOf, findSameName, pathKey, pickNamed, positionProblems } from '../items/index.ts'
import type { PickOptions, Position } from '../items/index.ts'
import type { AreaRow } from './area.ts'
import { areas } from './placement.repository.ts'

/** Returns the area at a position below a parent, or at the top level, with its derived values. */
export function positionArea(
  area: Omit<AreaRow, 'parentId' | 'key' | 'path' | 'pathKey' | 'depth' | 'archived'>,
  parent: AreaRow | null,
): AreaRow {
  const key = nameKey(area.name)
  return {
    ...area,
    parentId: parent?.id ?? null,
    key,
    path: parent ? `${parent.path}/${area.name}` : area.name,
    pathKey: parent ? `${parent.pathKey}/${key}` : key,
    depth: (parent?.depth ?? 0) + 1,
    archived: area.marked || (parent?.archived ?? false),
  }
}

/** Returns the areas below a parent in tree order. */
export function inTreeOrder(rows: readonly AreaRow[], parentId: string | null = null): AreaRow[] {
  const siblings = childrenOf(rows, parentId)
  const ordered = siblings.toSorted((a, b) => a.displayOrder - b.displayOrder || (a.id < b.id ? -1 : 1))
  return ordered.flatMap(row => [row, ...inTreeOrder(rows, row.id)])
}

/** Returns the display order for a new last child of a parent. */
export function lastOrder(rows: readonly AreaRow[], parent: AreaRow | null): number {
  return Math.max(0, ...childrenOf(rows, parent?.id ?? null).map(row => row.displayOrder)) + 1
}

/** Finds the parent that a path names; null = the top level. @throws ToolError not_found, ambiguous_ref */
export function pickParent(rows: readonly AreaRow[], path: string, options: PickOptions): AreaRow | null {
  return pathKey(path) === '' ? null : pickNamed(areas, rows, path, options)
}

/** Returns the errors of an area with a name at a position. */
export function areaProblems(rows: readonly AreaRow[], name: string, position: Position<AreaRow>): ToolError[] {
  const problems = positionProblems(areas, rows, position)
  const namesake = findSameName(rows, name, position)
  if (!namesake) return problems
  const { path, archived, id } = namesake
  const message = `There is already an area ${quoteName(path)}${archived ? ', archived' : ''}.`
  const hint = archived
    ? 'Bring it back with project_areas_update archived=false, or choose another name.'
    : 'Use that area or choose another name.'
  return [...problems, new ToolError('conflict', message, { field: 'name', hint, details: { area_id: id, path } })]
}
