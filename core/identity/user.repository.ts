import { updateWhere } from '../plugin/rows-where.ts'
import { sql } from 'kysely'
import type { Db, ReadContext, WriteContext } from '../plugin/context.ts'
import type { User } from '../plugin/users.ts'
import type { RowChanges } from '../plugin/tables.ts'

/** Inserts a user; the first one is administrator. @returns false if the e-mail address is taken */
export async function insertUser({ db, now }: WriteContext, { id, email, name, timeZone }: User): Promise<boolean> {
  const row = await db
    .insertInto('core.users')
    .values(({ exists, not, selectFrom }) => ({
      id,
      email,
      name,
      time_zone: timeZone,
      created_at: now,
      is_administrator: not(exists(selectFrom('core.users').select('id'))).$castTo<boolean>(),
    }))
    .onConflict(on => on.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Finds a user by e-mail address, or the first two of all users. @param email in lower case */
export function findUsers({ db }: Pick<ReadContext, 'db'>, email: string | undefined): Promise<readonly User[]> {
  return db
    .selectFrom('core.users')
    .select(['id', 'email', 'name', 'time_zone as timeZone'])
    .$if(email !== undefined, query => query.where('email', '=', email!))
    .orderBy('created_at')
    .limit(2)
    .execute()
}

/** Reads all users as the command line lists them. */
export function readUserList({ db }: ReadContext) {
  return db
    .selectFrom('core.users')
    .select(['id', 'email', 'name', 'time_zone', 'is_administrator as administrator'])
    .select(({ cast }) => [
      cast<string | null>('disabled_at', 'text').as('disabled_at'),
      cast<string>('created_at', 'text').as('created_at'),
    ])
    .orderBy('core.users.created_at')
    .execute()
}

export async function changeUser({ db }: WriteContext, id: string, changes: RowChanges<'core.users'>): Promise<void> {
  await updateWhere(db, 'core.users', { id }, changes)
}

/** @returns false if another user has the address */
export async function changeEmail({ db }: WriteContext, id: string, email: string): Promise<boolean> {
  // Serializes changes of addresses.
  await lockUsers(db)
  const row = await db
    .updateTable('core.users')
    .set({ email })
    .where('id', '=', id)
    .where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom('core.users as o').select('o.id').where('o.email', '=', email).where('o.id', '<>', id))),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns whether a user exists and is enabled. */
export async function isEnabledUser(db: Db, id: string): Promise<boolean> {
  const query = db.selectFrom('core.users').select('id').where('id', '=', id).where('disabled_at', 'is', null)
  return (await query.executeTakeFirst()) !== undefined
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('core.users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Locks a user: waits for transactions that write rows that refer to the user, and blocks new ones. */
export async function lockUser({ db }: WriteContext, id: string): Promise<void> {
  await db.selectFrom('core.users').select('id').where('id', '=', id).forUpdate().execute()
}

/** Prevents new users until the transaction ends. */
export async function lockUsers(db: Db): Promise<void> {
  await sql`lock table core.users in exclusive mode`.execute(db)
}

/** Lists the ids of the enabled administrators. */
export async function readAdministrators({ db }: Pick<ReadContext, 'db'>): Promise<readonly string[]> {
  return idsOf(await administrators(db).execute())
}

/**
 * Lists and locks the enabled administrators until the transaction ends. If two administrators demote each other, the second transaction
 * sees the result of the first.
 */
export async function lockAdministrators({ db }: WriteContext): Promise<readonly string[]> {
  return idsOf(await administrators(db).orderBy('id').forNoKeyUpdate().execute())
}

const administrators = (db: Db) =>
  db.selectFrom('core.users').select('id').where('is_administrator', '=', true).where('disabled_at', 'is', null)

const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id)
