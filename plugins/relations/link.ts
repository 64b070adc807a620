import { sql, ToolError, uuid, type WriteContext } from 'tasuki/plugin'
import { announce, linkParents, type ItemChange, type ItemRow } from '../items/index.ts'
import { isStored, selectRelations, type RelationRow, type RelationType } from './relation.ts'

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
  const checked = links.map(link => ({ link, error: problemOf(link) }))
  const sound = checked.flatMap(({ link, error }) => (error ? [] : [link]))
  const done = isStored(type) ? await store(ctx, sound, type) : await putUnder(ctx, sound, type)
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
    const children = links.filter(({ source, target }) =>
      type === 'parent' ? source.parentId === target.id : target.parentId === source.id,
    )
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
  await announce(
    ctx,
    gone.flatMap(link => changes(link, type, 'relation.deleted')),
  )
  return gone
}

/** Reads the relations of links as results show them. */
export async function relationsOf(
  ctx: WriteContext,
  links: readonly Link[],
  type: RelationType,
): Promise<readonly RelationRow[]> {
  if (links.length === 0) return []
  const pairs = links.map(({ source, target }) => {
    const [from, to] = type === 'child' ? [target, source] : [source, target]
    return sql`(${from.ownerId}::uuid, ${from.id}::uuid, ${to.id}::uuid)`
  })
  const stored = type === 'child' ? 'parent' : type
  const { rows } = await selectRelations(
    sql<boolean>`(r.owner_id, r.source_id, r.target_id) in (${sql.join(pairs)}) and r.type = ${stored}`,
  ).execute(ctx.db)
  return rows
}

function problemOf({ source, target }: Link): ToolError | null {
  const names = `${source.project.key}#${source.number} and ${target.project.key}#${target.number}`
  if (source.ownerId !== target.ownerId) {
    return new ToolError('invalid_argument', `${names} belong to different owners and cannot be linked.`, {
      hint: 'Mention the other item in the body instead.',
    })
  }
  if (source.id === target.id)
    return new ToolError('invalid_argument', `${source.project.key}#${source.number} cannot be linked to itself.`)
  return null
}

async function store(
  ctx: WriteContext,
  links: readonly Link[],
  type: RelationType,
): Promise<ReadonlyMap<Link, Linked>> {
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
    made.some(row => row['source_id'] === source.id && row['target_id'] === target.id),
  )
  await announce(
    ctx,
    created.flatMap(link => changes(link, type, 'relation.created')),
  )
  return new Map(links.map(link => [link, { link, created: created.includes(link) }]))
}

/** The parents of several items differ by link: those that share a parent are moved together. */
async function putUnder(
  ctx: WriteContext,
  links: readonly Link[],
  type: 'parent' | 'child',
): Promise<ReadonlyMap<Link, Linked>> {
  const ends = (link: Link) =>
    type === 'parent' ? { child: link.source, parent: link.target } : { child: link.target, parent: link.source }
  const result = new Map<Link, Linked>()
  const children = new Set<string>()
  const byParent = Map.groupBy(links, link => ends(link).parent.id)
  for (const group of byParent.values()) {
    const fresh = group.filter(link => {
      const { child } = ends(link)
      if (!children.has(child.id)) return Boolean(children.add(child.id))
      result.set(link, {
        link,
        error: new ToolError('invalid_argument', `${child.project.key}#${child.number} can have one parent only.`, {
          hint: 'Name one parent.',
        }),
      })
      return false
    })
    const drafts = await linkParents(
      ctx,
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
    ref: `${item.project.key}#${item.number}`,
    title: item.title,
    kind,
    to: { relation_type: type, role, item: `${other.project.key}#${other.number}` },
  })
  return [entry(source, target, 'source'), entry(target, source, 'target')]
}
