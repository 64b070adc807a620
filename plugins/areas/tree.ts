/** An area as stored, with the number of its items. */
export interface AreaRow {
  readonly id: string
  readonly parentId: string | null
  readonly name: string
  readonly key: string
  readonly description: string | null
  readonly displayOrder: number
  /** Archived itself, not only through an area above. */
  readonly marked: boolean
  readonly itemCount: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** An area in its place. */
export interface AreaNode extends AreaRow {
  readonly path: string
  /** `pathKey` of the path. */
  readonly pathKey: string
  readonly parent: AreaNode | null
  /** 1 = top level. */
  readonly depth: number
  /** Itself or through an area above. */
  readonly archived: boolean
}

/** The areas of a project with their paths, each followed by those below it. */
export function treeOf(rows: readonly AreaRow[]): AreaNode[] {
  const below = new Map<string | null, AreaRow[]>()
  for (const row of rows) below.set(row.parentId, [...(below.get(row.parentId) ?? []), row])
  return branch(below, null)
}

function branch(below: ReadonlyMap<string | null, readonly AreaRow[]>, parent: AreaNode | null): AreaNode[] {
  const siblings = below.get(parent?.id ?? null) ?? []
  return siblings.toSorted(byPlace).flatMap(row => {
    const node: AreaNode = {
      ...row,
      parent,
      path: parent ? `${parent.path}/${row.name}` : row.name,
      pathKey: parent ? `${parent.pathKey}/${row.key}` : row.key,
      depth: (parent?.depth ?? 0) + 1,
      archived: row.marked || (parent?.archived ?? false),
    }
    return [node, ...branch(below, node)]
  })
}

function byPlace(a: AreaRow, b: AreaRow): number {
  return a.displayOrder - b.displayOrder || (a.id < b.id ? -1 : 1)
}

/** The area and all below it. */
export function subtree(tree: readonly AreaNode[], root: AreaNode): AreaNode[] {
  return tree.filter(node => isWithin(node, root))
}

/** True for the area itself, too. */
export function isWithin(node: AreaNode, root: AreaNode): boolean {
  for (let at: AreaNode | null = node; at; at = at.parent) if (at.id === root.id) return true
  return false
}

export function childrenOf(tree: readonly AreaNode[], parent: AreaNode | null): AreaNode[] {
  return tree.filter(node => node.parentId === (parent?.id ?? null))
}

/** Levels of the branch, the area's own included. */
export function height(tree: readonly AreaNode[], root: AreaNode): number {
  return Math.max(...subtree(tree, root).map(node => node.depth)) - root.depth + 1
}

/** The order of an area that comes last below `parent`. */
export function lastPlace(tree: readonly AreaNode[], parent: AreaNode | null): number {
  return Math.max(0, ...childrenOf(tree, parent).map(node => node.displayOrder)) + 1
}
