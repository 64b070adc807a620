import { compare, exists, sql, type Condition, type Expression, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { refColumn, seesAll, visible } from '../projects/index.ts'

// SQL for other items than the subject of a statement, such as a parent or the other end of a relation. An item that the caller may not see
// does not exist. Statements reference other items only through these functions; test/isolation/second-record.test.ts enforces this.

type Sql = Expression<unknown>

/**
 * Returns the from clause of the other item `o` with its project `op`; no row if the caller may not see the item.
 * @param owner SQL of its owner's id, with the alias
 */
export function fromOther(ctx: ReadContext, owner: string, condition: Condition): Sql {
  return sql`from items.items o join projects.projects op on op.owner_id = o.owner_id and op.id = o.project_id
    where o.owner_id = ${sql.ref(owner)} and ${condition} and ${visible(ctx, 'o')}`
}

/** Returns SQL for the caller's reference to the other item `o`. */
export const otherRef = (ctx: ReadContext): RawBuilder<string> => refColumn(ctx, 'op', 'o')

/** Returns the SQL of the reference of an item given by columns of another table, with their aliases; null if the caller may not see it. */
export function refOf(ctx: ReadContext, owner: string, item: string): RawBuilder<string> {
  return sql<string>`(select ${otherRef(ctx)} ${fromOther(ctx, owner, compare('o.id', '=', sql.ref(item)))})`
}

/** Returns the condition that the caller may see the other item `o`, which must exist. */
export function seesOther(ctx: ReadContext, owner: string, condition: Condition): Condition {
  return seesAll(ctx) ? sql.lit(true) : exists(fromOther(ctx, owner, condition))
}

/** Returns SQL for the id of another item in a column of the item `i`; null if the caller may not see it. */
export function visibleId(ctx: ReadContext, column: Sql): Sql {
  return seesAll(ctx) ? column : sql`(select o.id ${fromOther(ctx, 'i.owner_id', compare('o.id', '=', column))})`
}
