import { deleteWhere } from '../plugin/rows-where.ts'
import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'
import { recordset } from '../plugin/recordset.ts'
import { iso } from '../plugin/sql.ts'

/** A plugin that once ran here. */
export interface NotedPlugin {
  readonly name: string
  readonly version: string
  readonly enabled: boolean
  /** ISO 8601 UTC; of one that is off, when it was last on. */
  readonly seen_at: string
}

/** The lock of the boot: until the transaction ends no instance may switch plugins on. */
export async function lockPlugins(db: Db): Promise<void> {
  await sql`lock table core.plugins in exclusive mode`.execute(db)
}

export function readPlugins(db: Db): Promise<readonly NotedPlugin[]> {
  return db
    .selectFrom('core.plugins')
    .select(['name', 'version', 'enabled', iso('seen_at').as('seen_at')])
    .execute()
}

/** Notes which plugins are on; all others are off from now. */
export async function notePlugins(
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
  // Until this boot they were on: what they have to catch up with, once they are on again, begins here.
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
