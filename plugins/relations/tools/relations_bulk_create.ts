import { defineTool, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { bulkOutput, itemRef } from '../../items/index.ts'
import { toBulkResult, describeEffect, findEnds, linksOf, memberRefs, memberRole } from '../bulk.ts'
import { linkItems, planLinks } from '../link.ts'
import { relationType } from '../relation.ts'

const Input = Type.Object({
  member_refs: memberRefs(2),
  counterpart_ref: itemRef('The other end.'),
  relation_type: relationType,
  member_role: memberRole,
})

export const relationsBulkCreate = defineTool({
  name: 'relations_bulk_create',
  class: 'WD',
  title: 'Link many items',
  summary: 'Links 2-25 items to one counterpart; one that cannot be linked is reported.',
  rank: 680,
  input: Input,
  output: bulkOutput,
  async confirm(ctx, input) {
    const { links, ...rest } = await prepareLinks(ctx, input, { lock: false })
    const change = { ...rest, linked: await planLinks(ctx, links, input.relation_type), gone: [] }
    return (await describeEffect(ctx, change)) ?? toBulkResult(change)
  },
  async run(ctx, input) {
    const { links, ...rest } = await prepareLinks(ctx, input, { lock: true })
    return toBulkResult({ ...rest, linked: await linkItems(ctx, links, input.relation_type), gone: [] })
  },
})

async function prepareLinks(ctx: ReadContext, input: Static<typeof Input>, { lock }: { readonly lock: boolean }) {
  const { member_refs: refs, counterpart_ref: other, relation_type: type, member_role: role = 'source' } = input
  const { members, counterparts } = await findEnds(ctx, refs, [['counterpart_ref', other]], { lock })
  return { type, role, members, links: linksOf(members, counterparts[0]!, role) }
}
