import { choice, Type, type Row, type Static } from 'tasuki/plugin'

/** The role of the target for the source: the source's parent, the item it was generated from, its previous instance. */
export const RELATION_TYPES = [
  'parent',
  'child',
  'reference',
  'duplicate',
  'generated_from',
  'enriches',
  'previous_instance',
] as const
export type RelationType = (typeof RELATION_TYPES)[number]
/** Types stored as links; parent and child are the item's `parent_id` instead. */
export type StoredType = Row<'relations.relations'>['type']

export const relationType = choice(RELATION_TYPES, { description: 'What the target is to the source.' })

export function isStored(type: RelationType): type is StoredType {
  return type !== 'parent' && type !== 'child'
}

/** A relation as tools return it. The id of a parent link is the id of the child. */
export const relation = Type.Object({
  id: Type.String(),
  relation_type: Type.String(),
  source_ref: Type.String(),
  source_title: Type.String(),
  target_ref: Type.String(),
  target_title: Type.String(),
  created_at: Type.Optional(Type.String()),
})
export type RelationRow = Static<typeof relation>

/** Removes internal columns from a row. */
export function toRelationJson(row: RelationRow): RelationRow {
  const { id, relation_type, source_ref, source_title, target_ref, target_title, created_at } = row
  return { id, relation_type, source_ref, source_title, target_ref, target_title, ...(created_at && { created_at }) }
}
