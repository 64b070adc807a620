import { compare, exists, sql, type Condition, type Expression, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { refColumn, seesAll, visible } from '../projects/index.ts'

// What a statement says of another item than those which it is about, such as a parent or the other end of a relation. To a caller who
// may not see that item it does not exist. Statements name other items only by these; test/isolation/second-record.test.ts holds that.

type Sql = Expression<unknown>

/**
 * From clause of the other item `o` with its project `op`; no row where the caller may not see it.
 * @param owner SQL of its owner's id, with the alias
 */
export function fromOther(ctx: ReadContext, owner: string, condition: Condition): Sql {
  return sql`from items.items o join projects.projects op on op.owner_id = o.owner_id and op.id = o.project_id
    where o.owner_id = ${sql.ref(owner)} and ${condition} and ${visible(ctx, 'o')}`
}

/** How the caller names the other item `o`. */
export const otherRef = (ctx: ReadContext): RawBuilder<string> => refColumn(ctx, 'op', 'o')

/** SQL of the reference of an item that the columns of another table name, each with the alias before it; null where it is not seen. */
export function refOf(ctx: ReadContext, owner: string, item: string): RawBuilder<string> {
  return sql<string>`(select ${otherRef(ctx)} ${fromOther(ctx, owner, compare('o.id', '=', sql.ref(item)))})`
}

/** The caller sees the other item `o`, which is known to exist. */
export function seesOther(ctx: ReadContext, owner: string, condition: Condition): Condition {
  return seesAll(ctx) ? sql.lit(true) : exists(fromOther(ctx, owner, condition))
}

/** The id of another item in a column of the item `i`; null where the caller does not see it. */
export function seenId(ctx: ReadContext, column: Sql): Sql {
  return seesAll(ctx) ? column : sql`(select o.id ${fromOther(ctx, 'i.owner_id', compare('o.id', '=', column))})`
}
