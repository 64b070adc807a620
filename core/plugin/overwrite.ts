import type { OnConflictBuilder, OnConflictDatabase, OnConflictTables, OnConflictUpdateBuilder } from 'kysely'

/** Lets an insert replace columns of rows that have the same key: `.onConflict(overwrite(['owner_id', 'id'], ['text']))`. */
export function overwrite<DB, T extends keyof DB>(
  key: readonly (keyof DB[T] & string)[],
  columns: readonly (keyof DB[T] & string)[],
) {
  return (conflict: OnConflictBuilder<DB, T>) =>
    (conflict as unknown as OnConflictBuilder<Record<string, Record<string, unknown>>, string>)
      .columns(key)
      .doUpdateSet(({ ref }) =>
        Object.fromEntries(columns.map(name => [name, ref(`excluded.${name}`)])),
      ) as unknown as OnConflictUpdateBuilder<OnConflictDatabase<DB, T>, OnConflictTables<T>>
}
