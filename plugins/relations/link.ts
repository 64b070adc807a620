import { sql, ToolError, uuid, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { recordChanges, linkParents, planParents, type Draft, type ItemChange, type ItemRow } from '../items/index.ts'
import { visible } from '../projects/index.ts'
import { isStored, selectRelations, type RelationRow, type RelationType, type StoredType } from './relation.ts'

/** A link that is asked for. */
export interface Link {
  readonly source: ItemRow
  readonly target: ItemRow
}
export type Linked =
  | { readonly link: Link; readonly created: boolean }
  | { readonly link: Link; readonly error: ToolError }

/** Links pairs of items by one type, in a few statements whatever their number; a link that exists already stays. */
export async function linkItems(ctx: WriteContext, links: readonly Link[], type: RelationType): Promise<Linked[]> {
  return eachSound(links, sound =>
    isStored(type)
      ? store(ctx, sound, type)
      : putUnder(sound, type, (children, parent) => linkParents(ctx, children, parent)),
  )
}

/** Tells what `linkItems` would do, and writes nothing. */
export async function planLinks(ctx: ReadContext, links: readonly Link[], type: RelationType): Promise<Linked[]> {
  return eachSound(links, async sound => {
    if (!isStored(type)) return putUnder(sound, type, (children, parent) => planParents(ctx, children, parent))
    const there = await storedLinks(ctx, sound, type)
    return new Map(sound.map(link => [link, { link, created: !there.includes(link) }]))
  })
}

async function eachSound(
  links: readonly Link[],
  work: (sound: readonly Link[]) => Promise<ReadonlyMap<Link, Linked>>,
): Promise<Linked[]> {
  const checked = links.map(link => ({ link, error: problemOf(link) }))
  const done = await work(checked.flatMap(({ link, error }) => (error ? [] : [link])))
  return checked.map(({ link, error }) => (error ? { link, error } : done.get(link)!))
}

/** Takes links of one type away. @returns the links that there were. */
export async function unlinkItems(
  ctx: WriteContext,
  links: readonly Link[],
  type: RelationType,
): Promise<readonly Link[]> {
  if (links.length === 0) return []
  if (!isStored(type)) {
    const children = parentLinks(links, type)
    await linkParents(
      ctx,
      children.map(link => (type === 'parent' ? link.source : link.target)),
      null,
    )
    return children
  }
  const pairs = JSON.stringify(
    links.map(({ source, target }) => ({ owner_id: source.ownerId, source_id: source.id, target_id: target.id })),
  )
  const { rows } = await sql<{ source_id: string; target_id: string }>`
    delete from relations.relations r using jsonb_to_recordset(${pairs}::jsonb) as v (owner_id uuid, source_id uuid, target_id uuid)
    where r.owner_id = v.owner_id and r.source_id = v.source_id and r.target_id = v.target_id and r.type = ${type}
    returning r.source_id, r.target_id
  `.execute(ctx.db)
  const gone = links.filter(({ source, target }) =>
    rows.some(row => row.source_id === source.id && row.target_id === target.id),
  )
  await recordChanges(
    ctx,
    gone.flatMap(link => changes(link, type, 'relation.deleted')),
  )
  return gone
}

/** Tells which links `unlinkItems` would take away, and writes nothing. */
export async function planUnlinks(
  ctx: ReadContext,
  links: readonly Link[],
  type: RelationType,
): Promise<readonly Link[]> {
  return isStored(type) ? storedLinks(ctx, links, type) : parentLinks(links, type)
}

function parentLinks(links: readonly Link[], type: 'parent' | 'child'): readonly Link[] {
  return links.filter(link => {
    const { child, parent } = endsOf(link, type)
    return child.parentId === parent.id
  })
}

async function storedLinks(ctx: ReadContext, links: readonly Link[], type: StoredType): Promise<readonly Link[]> {
  const rows = await relationsOf(ctx, links, type)
  return links.filter(({ source, target }) =>
    rows.some(row => row.sourceId === source.id && row.targetId === target.id),
  )
}

function endsOf({ source, target }: Link, type: 'parent' | 'child'): { child: ItemRow; parent: ItemRow } {
  return type === 'parent' ? { child: source, parent: target } : { child: target, parent: source }
}

/**
 * Reads the parents that links of type parent or child take the place of.
 * @returns the references by the id of the child, where the caller may see the parent
 */
export async function replacedParents(
  ctx: ReadContext,
  links: readonly Link[],
  type: RelationType,
): Promise<ReadonlyMap<string, string>> {
  const children = isStored(type) ? [] : links.map(link => endsOf(link, type).child)
  const replaced = children.filter(({ parentId }) => parentId !== null)
  if (replaced.length === 0) return new Map()
  const keys = replaced.map(({ ownerId, id }) => sql`(${ownerId}::uuid, ${id}::uuid)`)
  const { rows } = await selectRelations(
    ctx,
    sql<boolean>`(r.owner_id, r.source_id) in (${sql.join(keys)}) and r.type = 'parent' and ${visible(ctx, 'ti')}`,
  ).execute(ctx.db)
  return new Map(rows.map(row => [row.sourceId, row.target_ref]))
}

/** Reads the relations of links as results show them. */
export async function relationsOf(
  ctx: ReadContext,
  links: readonly Link[],
  type: RelationType,
): Promise<readonly (RelationRow & { readonly sourceId: string; readonly targetId: string })[]> {
  if (links.length === 0) return []
  const pairs = links.map(({ source, target }) => {
    const [from, to] = type === 'child' ? [target, source] : [source, target]
    return sql`(${from.ownerId}::uuid, ${from.id}::uuid, ${to.id}::uuid)`
  })
  const stored = type === 'child' ? 'parent' : type
  const { rows } = await selectRelations(
    ctx,
    sql<boolean>`(r.owner_id, r.source_id, r.target_id) in (${sql.join(pairs)}) and r.type = ${stored}`,
  ).execute(ctx.db)
  return rows
}

/** How people name an item. */
export function nameOf({ project, number }: ItemRow): string {
  return `${project.key}#${number}`
}

function problemOf({ source, target }: Link): ToolError | null {
  const names = `${nameOf(source)} and ${nameOf(target)}`
  if (source.ownerId !== target.ownerId) {
    return new ToolError('invalid_argument', `${names} belong to different owners and cannot be linked.`, {
      hint: 'Mention the other item in the body instead.',
    })
  }
  if (source.id === target.id) return new ToolError('invalid_argument', `${nameOf(source)} cannot be linked to itself.`)
  return null
}

async function store(ctx: WriteContext, links: readonly Link[], type: StoredType): Promise<ReadonlyMap<Link, Linked>> {
  if (links.length === 0) return new Map()
  const rows = links.map(({ source, target }) => ({
    owner_id: source.ownerId,
    id: uuid(),
    source_id: source.id,
    target_id: target.id,
    type,
    created_at: ctx.now,
  }))
  const made = await ctx.db
    .insertInto('relations.relations')
    .values(rows)
    .onConflict(conflict => conflict.columns(['owner_id', 'source_id', 'target_id', 'type']).doNothing())
    .returning(['source_id', 'target_id'])
    .execute()
  const created = links.filter(({ source, target }) =>
    made.some(row => row.source_id === source.id && row.target_id === target.id),
  )
  await recordChanges(
    ctx,
    created.flatMap(link => changes(link, type, 'relation.created')),
  )
  return new Map(links.map(link => [link, { link, created: created.includes(link) }]))
}

/** The parents of several items differ by link: those that share a parent are moved together. */
async function putUnder(
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
        error: new ToolError('invalid_argument', `${nameOf(child)} can have one parent only.`, {
          hint: 'Name one parent.',
        }),
      })
      return false
    })
    const drafts = await put(
      fresh.map(link => ends(link).child),
      ends(fresh[0] ?? group[0]!).parent,
    )
    fresh.forEach((link, n) => {
      const [problem] = drafts[n]!.problems
      result.set(link, problem ? { link, error: problem } : { link, created: drafts[n]!.changes.length > 0 })
    })
  }
  return result
}

/** Both ends hear of a link. */
function changes({ source, target }: Link, type: RelationType, kind: string): ItemChange[] {
  const entry = (item: ItemRow, other: ItemRow, role: string): ItemChange => ({
    ownerId: item.ownerId,
    itemId: item.id,
    projectId: item.project.id,
    ref: nameOf(item),
    title: item.title,
    kind,
    to: { relation_type: type, role, item: nameOf(other) },
  })
  return [entry(source, target, 'source'), entry(target, source, 'target')]
}
