import { Content, defineTool, Type } from 'tasuki/plugin'
import { itemRef } from '../../items/index.ts'
import { bulkOutput, findEnds, linksOf, memberRefs, memberRole, resultsOf } from '../bulk.ts'
import { linkItems } from '../link.ts'
import { relationType } from '../relation.ts'

const Input = Type.Object(
  {
    member_refs: memberRefs(2),
    counterpart_ref: itemRef('The other end.'),
    relation_type: relationType,
    member_role: memberRole,
  },
  { additionalProperties: false },
)

export const relationsBulkCreate = defineTool({
  name: 'relations_bulk_create',
  class: 'WD',
  title: 'Link many items',
  summary: 'Links 2-25 items to one counterpart; one that cannot be linked is reported.',
  rank: 680,
  input: Input,
  output: bulkOutput,
  confirm: (_ctx, { member_refs: members, counterpart_ref: counterpart, relation_type: type }) =>
    `Link ${members.length} items (${members.join(', ')}) with ${counterpart} as ${type}`,
  async run(ctx, { member_refs: refs, counterpart_ref: other, relation_type: type, member_role: role = 'source' }) {
    const { members, counterparts } = await findEnds(ctx, refs, [['counterpart_ref', other]])
    const linked = await linkItems(ctx, linksOf(members, counterparts[0]!, role), type)
    const data = resultsOf(members, item => linked.find(({ link }) => link[role].id === item.id))
    return data.succeeded === 0 ? new Content([], data, true) : data
  },
})
