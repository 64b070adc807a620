import { ToolError } from 'tasuki/plugin'
import { areaKey, MAX_DEPTH } from './names.ts'
import { archivedArea } from './pick.ts'
import { childrenOf, height, isWithin, type AreaNode } from './tree.ts'

/** A place that an area shall have. */
export interface Place {
  readonly parent: AreaNode | null
  readonly name: string
  /** The area that is there or moves there; null = a new one. */
  readonly area: AreaNode | null
  /** The parameter that names the parent. */
  readonly parentField: string
}

/** What speaks against a place. */
export function placeProblems(tree: readonly AreaNode[], { parent, name, area, parentField }: Place): ToolError[] {
  const moves = area === null || area.parentId !== (parent?.id ?? null)
  const problems: ToolError[] = []
  if (area && parent && isWithin(parent, area)) {
    const message = `${area.path} cannot move below ${parent.id === area.id ? 'itself' : `${parent.path}, which is part of it`}.`
    problems.push(new ToolError('cycle', message, { field: parentField, hint: 'Choose a parent outside of the area.' }))
  } else if (parent && moves) {
    const levels = parent.depth + (area ? height(tree, area) : 1)
    if (levels > MAX_DEPTH) problems.push(tooDeep(parent, levels, parentField))
    if (parent.archived) problems.push(archivedArea(parent, parentField))
  }
  const sibling = childrenOf(tree, parent).find(node => node.key === areaKey(name) && node.id !== area?.id)
  if (sibling) problems.push(taken(sibling))
  return problems
}

function tooDeep(parent: AreaNode, levels: number, field: string): ToolError {
  return new ToolError(
    'limit_exceeded',
    `Below ${parent.path} this would make ${levels} levels of areas; ${MAX_DEPTH} is the most.`,
    {
      field,
      hint: 'Choose a parent nearer to the top.',
    },
  )
}

function taken({ path, archived, id }: AreaNode): ToolError {
  return new ToolError('conflict', `There is already an area ${path}${archived ? ', archived' : ''}.`, {
    field: 'name',
    hint: archived
      ? 'Bring it back with project_areas_update archived=false, or choose another name.'
      : 'Use that area or choose another name.',
    details: { area_id: id, path },
  })
}
