import { throwAll, ToolError, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { formatRef, linkParents, planParents, recordChanges, toItemChange, toItemOfRow } from '../items/index.ts'
import type { Draft, ItemChange, ItemRow } from '../items/index.ts'
import { deleteRelations, insertRelations, readPairs, readParentLinks, type Ends } from './relation.repository.ts'
import { isStored, type RelationType, type StoredType } from './relation.ts'

/** A requested link. */
export interface Link {
  readonly source: ItemRow
  readonly target: ItemRow
}
export type Linked =
  | { readonly link: Link; readonly created: boolean }
  | { readonly link: Link; readonly error: ToolError }

/** Links pairs of items by one type, in a constant number of statements; existing links stay. */
export async function linkItems(ctx: WriteContext, links: readonly Link[], type: RelationType): Promise<Linked[]> {
  return linkValidOnes(links, valid =>
    isStored(type)
      ? storeLinks(ctx, valid, type)
      : setParents(valid, type, (children, parent) => linkParents(ctx, children, parent)),
  )
}

/** Returns what `linkItems` would do, without writing. */
export async function planLinks(ctx: ReadContext, links: readonly Link[], type: RelationType): Promise<Linked[]> {
  return linkValidOnes(links, async valid => {
    if (!isStored(type)) return setParents(valid, type, (children, parent) => planParents(ctx, children, parent))
    const there = await findStoredLinks(ctx, valid, type)
    return new Map(valid.map(link => [link, { link, created: !there.includes(link) }]))
  })
}

async function linkValidOnes(
  links: readonly Link[],
  work: (valid: readonly Link[]) => Promise<ReadonlyMap<Link, Linked>>,
): Promise<Linked[]> {
  const checked = links.map(link => ({ link, error: problemOf(link) }))
  const done = await work(checked.flatMap(({ link, error }) => (error ? [] : [link])))
  return checked.map(({ link, error }) => (error ? { link, error } : done.get(link)!))
}

/** Removes links of one type. @returns the links that existed */
export async function unlinkItems(ctx: WriteContext, links: readonly Link[], type: RelationType) {
  if (links.length === 0) return []
  if (!isStored(type)) {
    const children = parentLinks(links, type)
    const orphans = children.map(link => (type === 'parent' ? link.source : link.target))
    throwAll((await linkParents(ctx, orphans, null)).flatMap(({ problems }) => problems))
    return children
  }
  const gone = filterLinks(links, await deleteRelations(ctx, links, type))
  const changes = gone.flatMap(link => linkChanges(link, type, 'relation.deleted'))
  await recordChanges(ctx, changes)
  return gone
}

/** Returns the links that `unlinkItems` would remove, without writing. */
export async function planUnlinks(ctx: ReadContext, links: readonly Link[], type: RelationType) {
  return isStored(type) ? findStoredLinks(ctx, links, type) : parentLinks(links, type)
}

function parentLinks(links: readonly Link[], type: 'parent' | 'child'): readonly Link[] {
  return links.filter(link => {
    const { child, parent } = endsOf(link, type)
    return child.parentId === parent.id
  })
}

async function findStoredLinks(ctx: ReadContext, links: readonly Link[], type: StoredType): Promise<readonly Link[]> {
  return filterLinks(links, await relationsOf(ctx, links, type))
}

function filterLinks(links: readonly Link[], rows: readonly Ends[]): readonly Link[] {
  return links.filter(({ source, target }) =>
    rows.some(row => row.source_id === source.id && row.target_id === target.id),
  )
}

function endsOf({ source, target }: Link, type: 'parent' | 'child'): { child: ItemRow; parent: ItemRow } {
  return type === 'parent' ? { child: source, parent: target } : { child: target, parent: source }
}

/**
 * Reads the parents that links of type parent or child replace.
 * @returns the references by child id, limited to parents that the caller may see
 */
export async function readReplacedParents(ctx: ReadContext, links: readonly Link[], type: RelationType) {
  const children = isStored(type) ? [] : links.map(link => endsOf(link, type).child)
  const replaced = children.filter(({ parentId }) => parentId !== null)
  if (replaced.length === 0) return new Map<string, string>()
  const rows = await readParentLinks(ctx, replaced)
  return new Map(rows.map(row => [row.source_id, row.target_ref]))
}

/** Reads the relations of links as tools return them. */
export async function relationsOf(ctx: ReadContext, links: readonly Link[], type: RelationType) {
  if (links.length === 0) return []
  if (type !== 'child') return readPairs(ctx, links, type)
  const reversed = links.map(({ source, target }) => ({ source: target, target: source }))
  return readPairs(ctx, reversed, 'parent')
}

function problemOf({ source, target }: Link): ToolError | null {
  const names = `${formatRef(source)} and ${formatRef(target)}`
  if (source.ownerId !== target.ownerId)
    return new ToolError('invalid_argument', `${names} belong to different owners and cannot be linked.`, {
      hint: 'Mention the other item in the body instead.',
    })
  if (source.id === target.id)
    return new ToolError('invalid_argument', `${formatRef(source)} cannot be linked to itself.`, {
      hint: 'Name two different items.',
    })
  return null
}

async function storeLinks(
  ctx: WriteContext,
  links: readonly Link[],
  type: StoredType,
): Promise<ReadonlyMap<Link, Linked>> {
  const created = filterLinks(links, await insertRelations(ctx, links, type))
  const changes = created.flatMap(link => linkChanges(link, type, 'relation.created'))
  await recordChanges(ctx, changes)
  return new Map(links.map(link => [link, { link, created: created.includes(link) }]))
}

/** Links are grouped by parent: children with the same parent move together. */
async function setParents(
  links: readonly Link[],
  type: 'parent' | 'child',
  put: (children: readonly ItemRow[], parent: ItemRow) => Promise<readonly Draft[]>,
): Promise<ReadonlyMap<Link, Linked>> {
  const ends = (link: Link) => endsOf(link, type)
  const result = new Map<Link, Linked>()
  const children = new Set<string>()
  const byParent = Map.groupBy(links, link => ends(link).parent.id)
  for (const group of byParent.values()) {
    const fresh = group.filter(link => {
      const { child } = ends(link)
      if (!children.has(child.id)) return Boolean(children.add(child.id))
      result.set(link, {
        link,
        error: new ToolError('invalid_argument', `${formatRef(child)} can have one parent only.`, {
          hint: 'Name one parent.',
        }),
      })
      return false
    })
    const placed = fresh.map(link => ends(link).child)
    const drafts = await put(placed, ends(fresh[0] ?? group[0]!).parent)
    fresh.forEach((link, n) => {
      const [problem] = drafts[n]!.problems
      result.set(link, problem ? { link, error: problem } : { link, created: drafts[n]!.changes.length > 0 })
    })
  }
  return result
}

/** A link is recorded in the history of both items. */
function linkChanges({ source, target }: Link, type: RelationType, kind: string): ItemChange[] {
  const entry = (item: ItemRow, other: ItemRow, role: string): ItemChange =>
    toItemChange(toItemOfRow(item), kind, { to: { relation_type: type, role, item: formatRef(other) } })
  return [entry(source, target, 'source'), entry(target, source, 'target')]
}
