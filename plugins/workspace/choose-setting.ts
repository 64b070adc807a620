import { sql, type WriteContext } from 'tasuki/plugin'

/** Keeps what the caller chose for a setting; null goes back to its default. */
export async function chooseSetting(ctx: WriteContext, key: string, value: string | boolean | null): Promise<void> {
  if (value === null) {
    await sql`delete from workspace.settings where owner_id = ${ctx.actor.userId} and key = ${key}`.execute(ctx.db)
    return
  }
  await sql`
    insert into workspace.settings (owner_id, key, value, updated_at) values (${ctx.actor.userId}, ${key}, ${JSON.stringify(value)}::jsonb, ${ctx.now})
    on conflict (owner_id, key) do update set value = excluded.value, updated_at = excluded.updated_at
  `.execute(ctx.db)
}
