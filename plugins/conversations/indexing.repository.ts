import { recordset, sql, type WriteContext } from 'tasuki/plugin'
import { ANALYZER, indexText } from '../search/index.ts'

/** Reindexes texts of an earlier analyzer. @param limit maximum number of texts per table @returns whether there may be more */
export async function reindexOutdatedTexts(ctx: WriteContext, limit: number): Promise<boolean> {
  const { db } = ctx
  const messages = await db
    .selectFrom('conversations.messages')
    .select(['owner_id', 'id', 'content'])
    .where('analyzer', '<', ANALYZER)
    .limit(limit)
    .execute()
  const bodies = messages.map(({ content, ...key }) => ({ ...key, title: '', body: content }))
  await writeIndex(ctx, 'conversations.messages', bodies)
  const former = db.selectFrom('conversations.threads').where('analyzer', '<', ANALYZER)
  const threads = await former.select(['owner_id', 'id', 'title']).limit(limit).execute()
  const titles = threads.map(({ title, ...key }) => ({ ...key, title: title ?? '', body: '' }))
  await writeIndex(ctx, 'conversations.threads', titles)
  return messages.length === limit || threads.length === limit
}

interface Text {
  readonly owner_id: string
  readonly id: string
  readonly title: string
  readonly body: string
}

/** Texts written since the read are already up to date. */
async function writeIndex(ctx: WriteContext, table: string, texts: readonly Text[]): Promise<void> {
  if (texts.length === 0) return
  const indexed = []
  for (const { owner_id, id, title, body } of texts)
    indexed.push({ owner_id, id, tsv: (await indexText(title, body)).tsv })
  await sql`
    update ${sql.table(table)} t set tsv = v.tsv::tsvector, analyzer = ${sql.lit(ANALYZER)}
    from ${recordset('v', { owner_id: 'uuid', id: 'uuid', tsv: 'text' }, indexed)}
    where t.owner_id = v.owner_id and t.id = v.id and t.analyzer < ${sql.lit(ANALYZER)}
  `.execute(ctx.db)
}
