import { Type, type Static } from 'tasuki/plugin'

/** A former version of an item, without its body. */
export const revisionEntry = Type.Object({
  revision_id: Type.String(),
  created_at: Type.String(),
  title: Type.String(),
  /** Length of the body in characters. */
  length: Type.Integer(),
  /** The user who replaced it. */
  by: Type.Optional(Type.String()),
  /** The reason. */
  note: Type.Optional(Type.String()),
})
export type RevisionEntry = Static<typeof revisionEntry>

/** A former version of an item. */
export const itemRevision = Type.Object({
  revision_id: Type.String(),
  created_at: Type.String(),
  title: Type.String(),
  body: Type.String(),
})
export type Revision = Static<typeof itemRevision>
