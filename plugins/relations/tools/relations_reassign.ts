import { defineTool, reference, ToolError, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { bulkOutput, formatRef } from '../../items/index.ts'
import { toBulkResult, describeEffect, findEnds, linksOf, memberRefs, memberRole, type BulkChange } from '../bulk.ts'
import { linkItems, planLinks, planUnlinks, unlinkItems, type Link, type Linked } from '../link.ts'
import { relationType, type RelationType } from '../relation.ts'

const Counterpart = (description: string) => Type.Optional(reference(description))

const Input = Type.Object({
  member_refs: memberRefs(1),
  relation_type: relationType,
  from_ref: Counterpart('Detach from.'),
  to_ref: Counterpart('Attach to.'),
  member_role: memberRole,
})

export const relationsReassign = defineTool({
  name: 'relations_reassign',
  class: 'WD',
  title: 'Move links',
  summary:
    'Moves relations of 1-25 items to another counterpart; without to_ref only detaches, without from_ref only attaches.',
  rank: 900,
  input: Input,
  output: bulkOutput,
  async confirm(ctx, input) {
    const change = await reassign(ctx, input, {
      lock: false,
      link: links => planLinks(ctx, links, input.relation_type),
      unlink: async links => links,
    })
    return (await describeEffect(ctx, change)) ?? toBulkResult(change)
  },
  async run(ctx, input) {
    const change = await reassign(ctx, input, {
      lock: true,
      link: links => linkItems(ctx, links, input.relation_type),
      unlink: links => unlinkItems(ctx, links, input.relation_type),
    })
    return toBulkResult(change)
  },
})

/** How links are changed: written, or only planned. */
interface Steps {
  readonly lock: boolean
  link(links: readonly Link[]): Promise<readonly Linked[]>
  unlink(links: readonly Link[]): Promise<readonly Link[]>
}

async function reassign(ctx: ReadContext, input: Static<typeof Input>, steps: Steps): Promise<BulkChange> {
  const { member_refs: refs, relation_type: type, from_ref: from, to_ref: to, member_role: role = 'source' } = input
  if (!from && !to)
    throw new ToolError('missing_argument', 'Neither from_ref nor to_ref was given.', {
      field: 'to_ref',
      hint: 'Give from_ref to detach, to_ref to attach, or both to move.',
    })
  const wanted = [...(from ? [['from_ref', from] as const] : []), ...(to ? [['to_ref', to] as const] : [])]
  const { members, counterparts } = await findEnds(ctx, refs, wanted, steps)
  const [first, second] = counterparts
  if (second?.id === first!.id)
    throw new ToolError('invalid_argument', 'from_ref and to_ref name the same item.', {
      field: 'to_ref',
      hint: 'Name the item that the relations shall move to.',
    })
  const attached = from ? linksOf(members, first!, role) : []
  const joining = to ? linksOf(members, from ? second! : first!, role) : []
  const existing = await planUnlinks(ctx, [...attached, ...joining], type)
  const leaving = attached.filter(link => existing.includes(link))
  // A member that has moved already stays as it is.
  const known = new Set(existing.map(link => link[role].id))
  const absent = to ? attached.filter(link => !known.has(link[role].id)) : []
  const moving = from ? joining.filter(link => known.has(link[role].id)) : joining
  // Links first: a member that `to_ref` rejects keeps its links.
  const linked = await steps.link(moving)
  const refused = new Set(linked.flatMap(each => ('error' in each ? [each.link[role].id] : [])))
  // An item has one parent, so a new link replaces the former one.
  const replaced = to && type === (role === 'source' ? 'parent' : 'child')
  const gone = replaced ? [] : await steps.unlink(leaving.filter(link => !refused.has(link[role].id)))
  return { type, role, members, linked: [...linked, ...absent.map(link => refuseAbsent(link, type))], gone }
}

/** Refuses to move a relation that does not exist: `to_ref` would replace another one, or add one that nobody asked for. */
function refuseAbsent(link: Link, type: RelationType): Linked {
  const message = `${formatRef(link.source)} has no relation ${type} to ${formatRef(link.target)}.`
  const hint = 'relations_list shows its relations; without from_ref the call only attaches.'
  return { link, error: new ToolError('not_found', message, { field: 'from_ref', hint }) }
}
