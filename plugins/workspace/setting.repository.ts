import { deleteWhere, json, overwrite, parens, sql, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { SettingSource } from './points.ts'

/** Stores the caller's value of a setting; null restores the default. */
export async function chooseSetting(ctx: WriteContext, key: string, value: string | boolean | null): Promise<void> {
  if (value === null) {
    await deleteWhere(ctx.db, 'workspace.settings', { owner_id: ctx.actor.userId, key })
    return
  }
  await ctx.db
    .insertInto('workspace.settings')
    .values({ owner_id: ctx.actor.userId, key, value: json<unknown>(value), updated_at: ctx.now })
    .onConflict(overwrite(['owner_id', 'key'], ['value', 'updated_at']))
    .execute()
}

/** Reads the caller's settings by key, and the data of each source, in one statement. */
export async function readSettings(ctx: ReadContext, sources: readonly SettingSource[]) {
  const needed = sources.map(source => parens(source.sql?.(ctx) ?? sql.lit(null)))
  const { rows } = await sql<{ chosen: Record<string, unknown> | null; found: readonly unknown[] }>`
    select (select jsonb_object_agg(v.key, v.value) from workspace.settings v where v.owner_id = ${ctx.actor.userId}) as chosen,
      json_build_array(${sql.join(needed)}) as found
  `.execute(ctx.db)
  return { chosen: rows[0]!.chosen ?? {}, found: rows[0]!.found }
}
