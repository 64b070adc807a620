import { json, noSql, sql, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { SettingSource } from './points.ts'

/** Stores what the caller chose for a setting; null goes back to its default. */
export async function chooseSetting(ctx: WriteContext, key: string, value: string | boolean | null): Promise<void> {
  if (value === null) {
    await ctx.db
      .deleteFrom('workspace.settings')
      .where('owner_id', '=', ctx.actor.userId)
      .where('key', '=', key)
      .execute()
    return
  }
  await ctx.db
    .insertInto('workspace.settings')
    .values({ owner_id: ctx.actor.userId, key, value: json<unknown>(value), updated_at: ctx.now })
    .onConflict(conflict =>
      conflict
        .columns(['owner_id', 'key'])
        .doUpdateSet(({ ref }) => ({ value: ref('excluded.value'), updated_at: ref('excluded.updated_at') })),
    )
    .execute()
}

/** Reads what the caller chose, by key, and what each source needs from the database, in one statement. */
export async function readSettings(
  ctx: ReadContext,
  sources: readonly SettingSource[],
): Promise<{ readonly chosen: Readonly<Record<string, unknown>>; readonly found: readonly unknown[] }> {
  const columns = sources.flatMap((source, n) =>
    source.sql ? [sql`, (${source.sql(ctx)}) as ${sql.raw(`x${n}`)}`] : [],
  )
  const { rows } = await sql<Record<string, unknown> & { chosen: Record<string, unknown> | null }>`
    select (select jsonb_object_agg(v.key, v.value) from workspace.settings v where v.owner_id = ${ctx.actor.userId}) as chosen
      ${sql.join(columns, noSql)}
  `.execute(ctx.db)
  const { chosen, ...found } = rows[0]!
  return { chosen: chosen ?? {}, found: sources.map((_source, n) => found[`x${n}`] ?? null) }
}
