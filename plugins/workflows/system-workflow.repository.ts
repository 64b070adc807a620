import { insertRecords, nameKey, sql, uuid, type OwnedKey, type ReadContext, type WriteContext } from 'tasuki/plugin'

export async function readSystemWorkflow(ctx: ReadContext, ownerId: string): Promise<OwnedKey> {
  const { id } = await ctx.db
    .selectFrom('workflows.workflows')
    .select('id')
    .where(({ and }) => and({ owner_id: ownerId, is_system: sql.lit(true) }))
    .executeTakeFirstOrThrow(() => new TypeError(`User ${ownerId} has no system workflow`))
  return { ownerId, id }
}

/** Inserts the system workflow of users without one. @returns the inserted workflows */
export function insertSystemWorkflows(ctx: WriteContext, ownerIds: readonly string[], name: string) {
  const workflows = ownerIds.map(owner_id => ({
    owner_id,
    id: uuid(),
    name,
    name_key: nameKey(name),
    is_system: true,
    created_at: ctx.now,
    updated_at: ctx.now,
  }))
  return insertRecords(ctx.db, 'workflows.workflows', workflows)
    .onConflict(conflict => conflict.column('owner_id').where('is_system', '=', sql.lit(true)).doNothing())
    .returning(['owner_id', 'id'])
    .execute()
}

export function readUsersWithoutSystem(ctx: ReadContext): Promise<readonly { readonly id: string }[]> {
  return ctx.db
    .selectFrom('core.users as u')
    .select('u.id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('workflows.workflows as w')
            .whereRef('w.owner_id', '=', 'u.id')
            .where('w.is_system', '=', sql.lit(true)),
        ),
      ),
    )
    .execute()
}
