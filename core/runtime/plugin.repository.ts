import { deleteWhere } from '../plugin/rows-where.ts'
import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'
import { recordset } from '../plugin/recordset.ts'
import { iso } from '../plugin/sql.ts'

/** A plugin that has run on this database. */
export interface PluginState {
  readonly name: string
  readonly version: string
  readonly enabled: boolean
  /** ISO 8601 UTC; for a disabled plugin, when it was disabled. */
  readonly seen_at: string
}

/** Prevents other instances from enabling plugins until the transaction ends. */
export async function lockPlugins(db: Db): Promise<void> {
  await sql`lock table core.plugins in exclusive mode`.execute(db)
}

export function readPlugins(db: Db): Promise<readonly PluginState[]> {
  return db
    .selectFrom('core.plugins')
    .select(['name', 'version', 'enabled', iso('seen_at').as('seen_at')])
    .execute()
}

/** Marks these plugins as enabled and all others as disabled. */
export async function storePlugins(
  db: Db,
  plugins: readonly { readonly name: string; readonly version: string }[],
  now: Date,
): Promise<void> {
  const names = plugins.map(({ name }) => name)
  await db
    .insertInto('core.plugins')
    .columns(['name', 'version', 'enabled', 'seen_at'])
    .expression(({ selectFrom, val }) =>
      selectFrom(recordset('p', { name: 'text', version: 'text' }, plugins)).select([
        'p.name',
        'p.version',
        val(true).as('enabled'),
        val(now).as('seen_at'),
      ]),
    )
    .onConflict(on =>
      on.column('name').doUpdateSet(({ ref }) => ({
        version: ref('excluded.version'),
        enabled: true,
        seen_at: ref('excluded.seen_at'),
      })),
    )
    .execute()
  // These plugins were enabled until this boot, so they have to catch up from now.
  await db
    .updateTable('core.plugins')
    .set({ enabled: false, seen_at: now })
    .where('enabled', '=', true)
    .$if(names.length > 0, query => query.where('name', 'not in', names))
    .execute()
}

export async function deletePlugin(db: Db, name: string): Promise<void> {
  await deleteWhere(db, 'core.plugins', { name })
}
