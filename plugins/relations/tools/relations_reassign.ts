import { Content, defineTool, reference, ToolError, Type } from 'tasuki/plugin'
import { bulkOutput, findEnds, linksOf, memberRefs, memberRole, resultsOf } from '../bulk.ts'
import { linkItems, unlinkItems } from '../link.ts'
import { relationType, type RelationType } from '../relation.ts'

const Counterpart = (description: string) => Type.Optional(reference(description))

const Input = Type.Object(
  {
    member_refs: memberRefs(1),
    relation_type: relationType,
    from_ref: Counterpart('Detach from.'),
    to_ref: Counterpart('Attach to.'),
    member_role: memberRole,
  },
  { additionalProperties: false },
)

export const relationsReassign = defineTool({
  name: 'relations_reassign',
  class: 'WD',
  title: 'Move links',
  summary:
    'Moves relations of 1-25 items to another counterpart; without to_ref only detaches, without from_ref only attaches.',
  rank: 900,
  input: Input,
  output: bulkOutput,
  confirm: (_ctx, { member_refs: members, relation_type: type, from_ref: from, to_ref: to }) =>
    [
      `Move the relation ${type} of ${members.length} items (${members.join(', ')})`,
      from && `from ${from}`,
      to ? `to ${to}` : 'to nothing',
    ]
      .filter(Boolean)
      .join(' '),
  async run(ctx, { member_refs: refs, relation_type: type, from_ref: from, to_ref: to, member_role: role = 'source' }) {
    if (!from && !to) {
      throw new ToolError('missing_argument', 'Neither from_ref nor to_ref was given.', {
        field: 'to_ref',
        hint: 'Give from_ref to detach, to_ref to attach, or both to move.',
      })
    }
    const wanted = [...(from ? [['from_ref', from] as const] : []), ...(to ? [['to_ref', to] as const] : [])]
    const { members, counterparts } = await findEnds(ctx, refs, wanted)
    const [first, second] = counterparts
    if (second?.id === first!.id) {
      throw new ToolError('invalid_argument', 'from_ref and to_ref name the same item.', {
        field: 'to_ref',
        hint: 'Name the item that the relations shall move to.',
      })
    }
    // Linked first: a member that to_ref refuses keeps what it has.
    const linked = to ? await linkItems(ctx, linksOf(members, from ? second! : first!, role), type) : []
    const refused = new Set(linked.flatMap(each => ('error' in each ? [each.link[role].id] : [])))
    const leaving = from && !(to && takesPlace(type, role)) ? linksOf(members, first!, role) : []
    const gone = await unlinkItems(
      ctx,
      leaving.filter(link => !refused.has(link[role].id)),
      type,
    )
    const data = resultsOf(members, item => {
      const made = linked.find(({ link }) => link[role].id === item.id)
      const left = gone.some(link => link[role].id === item.id)
      if (made && 'error' in made) return made
      return (made?.created ?? false) || left
    })
    return data.succeeded === 0 ? new Content([], data, true) : data
  },
})

/** Whether a new link of a member replaces its former one: an item has one parent. */
function takesPlace(type: RelationType, role: 'source' | 'target'): boolean {
  return (type === 'parent' && role === 'source') || (type === 'child' && role === 'target')
}
