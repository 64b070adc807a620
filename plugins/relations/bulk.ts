import { choice, errorBody, reference, ToolError, Type } from 'tasuki/plugin'
import type { Content, ReadContext, Static } from 'tasuki/plugin'
import { countResults, describeRefusals, findItems, formatRef, refuseRepeats } from '../items/index.ts'
import type { bulkOutput, Found, ItemRow } from '../items/index.ts'
import { readReplacedParents, type Link, type Linked } from './link.ts'
import type { RelationType } from './relation.ts'

export const memberRole = Type.Optional(
  choice(['source', 'target'], { default: 'source', description: 'What the members are.' }),
)
export const memberRefs = (minItems: number) =>
  Type.Array(reference(), { minItems, maxItems: 25, description: 'Items.' })

/** The change of relations in a bulk call. */
export interface BulkChange {
  readonly type: RelationType
  readonly role: 'source' | 'target'
  readonly members: readonly Found[]
  /** The requested links with their outcome. */
  readonly linked: readonly Linked[]
  /** The links to remove. */
  readonly gone: readonly Link[]
}

/** Finds members and counterparts in one statement. @throws ToolError if a counterpart cannot be found */
export async function findEnds(
  ctx: ReadContext,
  members: readonly string[],
  counterparts: readonly (readonly [field: string, ref: string])[],
  { lock }: { readonly lock: boolean },
): Promise<{ members: Found[]; counterparts: ItemRow[] }> {
  const found = await findItems(ctx, [...members, ...counterparts.map(([, ref]) => ref)], {
    write: true,
    lock,
    field: 'member_refs',
  })
  const others = found.slice(members.length).map((one, n) => {
    if (!('error' in one)) return one.item
    const { error } = one
    throw new ToolError(error.code, error.message, { ...error.help, field: counterparts[n]![0] })
  })
  return { members: refuseRepeats(found.slice(0, members.length), 'member_refs'), counterparts: others }
}

/** Returns the links between members and one counterpart. */
export function linksOf(members: readonly Found[], counterpart: ItemRow, role: 'source' | 'target'): Link[] {
  return members.flatMap(one => {
    if ('error' in one) return []
    return [role === 'source' ? { source: one.item, target: counterpart } : { source: counterpart, target: one.item }]
  })
}

/** Builds the result: one entry per member, in the order of the call. */
export function toBulkResult(change: BulkChange): Static<typeof bulkOutput> | Content {
  const results = change.members.map(member => {
    const error = problemOf(member, change)
    if (error || 'error' in member)
      return { item_ref: member.ref, ok: false, error: { field: 'member_refs', ...errorBody(error!) } }
    const isMember = (link: Link): boolean => link[change.role].id === member.item.id
    const isChanged = listAddedLinks(change).some(isMember) || change.gone.some(isMember)
    return { item_ref: member.ref, ok: true, changed: isChanged ? ['relations'] : [] }
  })
  return countResults(results, {})
}

/** Describes the change for the user to confirm; null if nothing changes. */
export async function describeEffect(ctx: ReadContext, change: BulkChange): Promise<string | null> {
  const { type, gone, members } = change
  const made = listAddedLinks(change)
  if (made.length === 0 && gone.length === 0) return null
  const refusals = members.flatMap(member => {
    const error = problemOf(member, change)
    return error ? [{ ref: 'item' in member ? formatRef(member.item) : member.ref, error }] : []
  })
  const clauses = [
    ...(gone.length > 0 ? [`remove the relation ${type} ${describeEnds(gone, change)}`] : []),
    ...(made.length > 0 ? [`add the relation ${type} ${describeEnds(made, change)}`] : []),
    ...describeReplacedParents(await readReplacedParents(ctx, made, type), made),
    ...describeRefusals(refusals, 'cannot be changed'),
  ]
  const text = clauses.join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns why a member stays unchanged, or undefined. */
function problemOf(member: Found, { linked, role }: BulkChange): ToolError | undefined {
  if ('error' in member) return member.error
  const one = linked.find(({ link }) => link[role].id === member.item.id)
  return one && 'error' in one ? one.error : undefined
}

function listAddedLinks({ linked }: BulkChange): Link[] {
  return linked.flatMap(each => ('created' in each && each.created ? [each.link] : []))
}

function describeEnds(links: readonly Link[], { role, members }: BulkChange): string {
  const refs = links.map(link => formatRef(link[role])).join(', ')
  const some = `${links.length} of ${members.length} items (${refs})`
  const [{ source, target }] = links as readonly [Link]
  return role === 'source' ? `from ${some} to ${formatRef(target)}` : `from ${formatRef(source)} to ${some}`
}

/** An item has one parent, so a new one replaces the former. */
function describeReplacedParents(parents: ReadonlyMap<string, string>, links: readonly Link[]): string[] {
  const items = new Map(links.flatMap(({ source, target }) => [source, target]).map(item => [item.id, formatRef(item)]))
  const byParent = Map.groupBy(parents, ([, parent]) => parent)
  return [...byParent].map(([parent, children]) => {
    return `this replaces the parent ${parent} of ${children.map(([id]) => items.get(id)).join(', ')}`
  })
}
