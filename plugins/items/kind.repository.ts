import { deleteWhere, type OwnedKey, type ReadContext, type WriteContext } from 'tasuki/plugin'

/** Reads the custom kinds of a project, in order. */
export async function readKinds(ctx: ReadContext, { ownerId, id }: OwnedKey): Promise<readonly string[]> {
  const rows = await ctx.db
    .selectFrom('items.kinds')
    .select('kind')
    .where(({ and }) => and({ owner_id: ownerId, project_id: id }))
    .orderBy('display_order')
    .orderBy('kind')
    .execute()
  return rows.map(({ kind }) => kind)
}

/** Replaces the custom kinds of a project. */
export async function replaceKinds(ctx: WriteContext, { ownerId, id }: OwnedKey, kinds: readonly string[]) {
  await deleteWhere(ctx.db, 'items.kinds', { owner_id: ownerId, project_id: id })
  if (kinds.length === 0) return
  const rows = kinds.map((kind, n) => ({ owner_id: ownerId, project_id: id, kind, display_order: n }))
  await ctx.db.insertInto('items.kinds').values(rows).execute()
}
