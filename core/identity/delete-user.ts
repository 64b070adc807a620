import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { rowsAboutUsers, userDeleted } from '../plugin/host-points.ts'
import { anyOf, compare } from '../plugin/sql.ts'
import type { User } from '../plugin/users.ts'
import { userDeleted as userDeletedAction } from '../runtime/audit/actions.ts'
import {
  countRows,
  deleteRows,
  eraseFromAudit,
  findOwnedTables,
  hasOtherUsers,
  rowsOfCredentials,
} from './deletion.repository.ts'
import type { RowCounts, UserRows } from './deletion.repository.ts'
import { lockUser } from './user.repository.ts'
import { requireOtherAdministrator } from './users.ts'

/** Counts the rows that `deleteUser` would delete, by table. */
export async function countUserData(ctx: ReadContext, user: User): Promise<RowCounts> {
  return countRows(ctx.db, await userRows(ctx, user))
}

/**
 * Deletes a user and all their data in the tables of all plugins. The audit trail stays, without the user's name.
 * @returns the deleted rows by table
 * @throws ToolError conflict if the user is the last administrator and other users exist
 */
export async function deleteUser(ctx: WriteContext, user: User): Promise<RowCounts> {
  // Administrators are locked first, in the same order as everywhere else. The only user may be deleted.
  if (await hasOtherUsers(ctx, user.id)) await requireOtherAdministrator(ctx, user)
  await lockUser(ctx, user.id)
  for (const prepare of ctx.all(userDeleted)) await prepare(ctx, user)
  const deleted = await deleteRows(ctx.db, await userRows(ctx, user))
  await eraseFromAudit(ctx, user)
  ctx.claimsChanged([user.id])
  const rows = Object.values(deleted).reduce((sum, count) => sum + count, 0)
  ctx.audit({ action: userDeletedAction, userId: user.id, target: { kind: 'user', id: user.id }, details: { rows } })
  return deleted
}

/** Finds the rows of a user in the tables of all plugins. One entry per table, because a row may match several conditions. */
export async function userRows(
  ctx: Pick<ReadContext, 'db' | 'all'>,
  user: Pick<User, 'id' | 'email'>,
  { forExport = false }: { readonly forExport?: boolean } = {},
): Promise<readonly UserRows[]> {
  const conditions = new Map<string, UserRows>()
  const add = ({ schema, table, where }: UserRows): void => {
    const existing = conditions.get(`${schema}.${table}`)
    conditions.set(`${schema}.${table}`, { schema, table, where: existing ? anyOf([existing.where, where]) : where })
  }
  for (const { schema, table, column } of await findOwnedTables(ctx.db))
    add({ schema, table, where: compare(column, '=', user.id) })
  for (const each of ctx.all(rowsAboutUsers)) {
    if (forExport && each.exported === false) continue
    const [schema, table] = each.table.split('.') as [string, string]
    add({ schema, table, where: compare(each.column, '=', user[each.holds ?? 'id']) })
  }
  for (const each of rowsOfCredentials(user)) add(each)
  add({ schema: 'core', table: 'users', where: compare('id', '=', user.id) })
  return [...conditions.values()]
}
