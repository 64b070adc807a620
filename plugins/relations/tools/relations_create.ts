import { defineTool, ToolError, Type } from 'tasuki/plugin'
import { itemRef } from '../../items/index.ts'
import { findEnds } from '../bulk.ts'
import { linkItems, readReplacedParents, relationsOf } from '../link.ts'
import { relation, relationType, toRelationJson } from '../relation.ts'

export const relationsCreate = defineTool({
  name: 'relations_create',
  class: 'W',
  title: 'Link items',
  summary: 'Links two items; parent and child set the parent.',
  rank: 250,
  input: {
    source_item_ref: itemRef('Source, KEY#n.'),
    target_item_ref: itemRef('Target, KEY#n.'),
    relation_type: relationType,
  },
  output: {
    relation,
    created: Type.Boolean(),
    changed: Type.Array(Type.String()),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  async run(ctx, { source_item_ref: from, target_item_ref: to, relation_type: type }) {
    // One statement locks both in a fixed order, so that two calls that link the same items in opposite directions cannot deadlock.
    const ends = [['source_item_ref', from] as const, ['target_item_ref', to] as const]
    const [source, target] = (await findEnds(ctx, [], ends, { lock: true })).counterparts
    const link = { source: source!, target: target! }
    const former = await readReplacedParents(ctx, [link], type)
    const [linked] = await linkItems(ctx, [link], type)
    if ('error' in linked!) {
      const { code, message, help } = linked.error
      throw new ToolError(code, message, { field: 'target_item_ref', ...help })
    }
    const [row] = await relationsOf(ctx, [link], type)
    const { created } = linked!
    const warnings = created ? Array.from(former.values(), parent => `This replaced the parent ${parent}.`) : []
    const result = { relation: toRelationJson(row!), created, changed: created ? ['relations'] : [] }
    return { ...result, ...(warnings.length > 0 && { warnings }) }
  },
})
