import { recordset, sql, type Db } from 'tasuki/plugin'

/**
 * Advances the item counters of owners in one statement. Rows are locked in the order of owner ids, so that instances cannot deadlock.
 * @param counts how many numbers to take, by owner id
 * @returns the first number taken, by owner id
 */
export async function advanceCounters(db: Db, counts: ReadonlyMap<string, number>) {
  const wanted = recordset(
    'n',
    { owner_id: 'uuid', count: 'int' },
    [...counts].map(([owner_id, count]) => ({ owner_id, count })),
  )
  const { rows } = await sql<{ ownerId: string; next: number }>`
    insert into items.counters as c (owner_id, next_number)
    select n.owner_id, 1 + n.count from ${wanted} order by 1
    on conflict (owner_id) do update set next_number = c.next_number + excluded.next_number - 1
    returning c.owner_id as "ownerId", c.next_number as next
  `.execute(db)
  return new Map(rows.map(({ ownerId, next }) => [ownerId, next - counts.get(ownerId)!]))
}
