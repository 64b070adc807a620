import type { ImportedItem, ImportProblem } from './points.ts'

/** Creates a problem of one item in the file. */
export const problem = ({ line }: ImportedItem, field: string, text: string): ImportProblem => ({
  line,
  field,
  problem: text,
})

/** Returns the items with parents before their children and each key once; in a cycle of parents, the item that closes it has none. */
export function sortByParent(items: readonly ImportedItem[], problems: ImportProblem[]): readonly ImportedItem[] {
  const byKey = new Map<string, ImportedItem>()
  for (const item of items) {
    if (!byKey.has(item.key)) byKey.set(item.key, item)
    else problems.push(problem(item, 'key', `the same key is in line ${byKey.get(item.key)!.line}: left out`))
  }
  const ordered = new Map<string, ImportedItem>()
  for (const item of byKey.values()) {
    const path = new Set<ImportedItem>()
    let at: ImportedItem | undefined = item
    while (at && !ordered.has(at.key) && !path.has(at)) {
      path.add(at)
      at = at.parent === undefined ? undefined : byKey.get(at.parent)
    }
    const fromTop = [...path].toReversed()
    const [top] = fromTop
    if (at && top && path.has(at)) {
      problems.push(problem(top, 'parent', 'its parents form a circle: it gets none'))
      const { parent: _parent, ...alone } = top
      fromTop[0] = alone
    }
    for (const each of fromTop) ordered.set(each.key, each)
  }
  return [...ordered.values()]
}
