import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'

/** Sets a configuration parameter until the transaction ends. */
export async function setForTransaction(db: Db, name: string, value: string): Promise<void> {
  await sql`select set_config(${name}, ${value}, true)`.execute(db)
}
