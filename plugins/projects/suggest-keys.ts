import { argumentValues, contains, sql } from 'tasuki/plugin'
import { keyColumn, visible } from './access.ts'

const MOST = 100

/** Suggests project keys by their beginning or by words of the name, the caller's own first. */
export const projectValues = argumentValues({
  argument: 'project',
  async complete(ctx, value) {
    const text = value.normalize('NFKC').trim()
    const { rows } = await sql<{ key: string }>`
      select ${keyColumn(ctx, 'p')} as key from projects.projects p
      where ${visible(ctx, 'p', 'id')} and p.archived_at is null
        and (starts_with(p.key, ${text.toUpperCase()}) or p.name ilike ${contains(text)})
      order by p.owner_id <> ${ctx.actor.userId}, p.key limit ${sql.lit(MOST)}
    `.execute(ctx.db)
    return [...new Set(rows.map(({ key }) => key))]
  },
})
