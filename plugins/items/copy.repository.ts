import { recordset, sql, type Row, type Tables, type WriteContext } from 'tasuki/plugin'

/** An item, and another one of its project that takes over or repeats its records. */
export interface ItemCopy {
  readonly owner_id: string
  readonly from_id: string
  readonly to_id: string
}

/** Returns the copies as the table `c`. */
export const copiesOf = (copies: readonly ItemCopy[]) =>
  recordset('c', { owner_id: 'uuid', from_id: 'uuid', to_id: 'uuid' }, copies)

/** Copies the rows of items to other items, in one statement; rows that those have already stay. @param columns besides owner and item */
export async function copyRows<T extends keyof Tables>(
  ctx: WriteContext,
  table: T,
  columns: readonly (keyof Row<T> & string)[],
  copies: readonly ItemCopy[],
): Promise<void> {
  const [from, names] = [sql.table(table), columns.map(name => sql.ref(name))]
  await sql`
    insert into ${from} (owner_id, item_id, ${sql.join(names)})
    select r.owner_id, c.to_id, ${sql.join(columns.map(name => sql.ref(`r.${name}`)))}
    from ${copiesOf(copies)} join ${from} r on r.owner_id = c.owner_id and r.item_id = c.from_id
    on conflict do nothing
  `.execute(ctx.db)
}
