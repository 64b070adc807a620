import { sql, Type, type RawBuilder, type Static } from 'tasuki/plugin'

/** A step as results show it. */
export const step = Type.Object({
  id: Type.String(),
  content: Type.String(),
  done: Type.Boolean(),
  position: Type.Integer(),
})
export type Step = Static<typeof step>

/** jsonb object of a step, from a table alias. */
export function stepJson(alias: string): RawBuilder<Step> {
  return sql.raw(
    `jsonb_build_object('id', ${alias}.id, 'content', ${alias}.content, 'done', ${alias}.done, 'position', ${alias}.position)`,
  )
}

/** Steps that one item may have. */
export const MOST_STEPS = 200
