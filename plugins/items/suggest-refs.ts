import { sql, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { keyColumn, visible } from '../projects/index.ts'
import type { ItemType } from './draft.ts'
import { containsText } from './query/filter-sql.ts'

const MOST = 100
/** `KEY#`, `KEY#12` or `#12`, as far as it was typed. */
const NUMBERED = /^([A-Z0-9_]*)#(\d{0,9})$/

/** Suggests references by their beginning, or by number or words of the title; those changed last come first. One statement. */
export async function suggestRefs(ctx: ReadContext, type: ItemType, typed: string): Promise<readonly string[]> {
  const text = typed.normalize('NFKC').trim()
  const { rows } = await sql<{ ref: string }>`
    select ${keyColumn(ctx, 'p')} || '#' || i.number as ref
    from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where ${visible(ctx, 'i')} and i.type = ${type} and i.archived_at is null and ${matches(text)}
    order by i.updated_at desc, i.number desc limit ${sql.lit(MOST)}
  `.execute(ctx.db)
  return [...new Set(rows.map(({ ref }) => ref))]
}

function matches(text: string): RawBuilder<boolean> {
  const numbered = NUMBERED.exec(text.toUpperCase())
  if (numbered) {
    const [, key, digits] = numbered
    const starts = sql<boolean>`starts_with(i.number::text, ${digits})`
    return key === '' ? starts : sql`p.key = ${key} and ${starts}`
  }
  const words = text.split(/\s+/).filter(word => word !== '')
  if (words.length === 0) return sql`true`
  const inTitle = sql.join(
    words.map(word => containsText(sql`i.title`, word)),
    sql` and `,
  )
  return sql`(starts_with(p.key, ${text.toUpperCase()}) or starts_with(i.number::text, ${text}) or (${inTitle}))`
}
