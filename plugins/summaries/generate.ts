import { defineJob, iso, sql, Type, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import { ownerFeature } from '../projects/index.ts'
import { summariesConfig } from './config.ts'
import type { SummaryDiscussion, SummaryProvider, SummaryRequest } from './points.ts'
import { providerOf } from './provider/choose.ts'
import { extractiveProvider } from './provider/extractive.ts'
import { cut } from './provider/sentences.ts'

/** Discussions that a summary is made from, the newest. */
const READ = 200

interface Source {
  readonly title: string
  readonly enabled: boolean
  readonly count: number
  /** When the last of them changed; null = there are none. */
  readonly discussedAt: string | null
  readonly discussions: readonly SummaryDiscussion[] | null
}
interface Made {
  readonly text: string
  readonly provider: string
  readonly model: string | null
  readonly insteadOf: string | null
}

/** Makes the summary of an item anew. The item itself is not touched. */
export const generateJob = defineJob({
  name: 'summaries.generate',
  payload: Type.Object({ owner_id: Type.String(), item_id: Type.String() }),
  // The provider is asked between statements, and nobody should wait for that.
  transaction: false,
  async run(ctx, { owner_id: ownerId, item_id: itemId }) {
    const source = await readSource(ctx, ownerId, itemId)
    if (!source?.enabled) return
    const { discussions, discussedAt, count, title } = source
    if (!discussions || discussedAt === null) {
      await sql`delete from summaries.summaries where owner_id = ${ownerId} and item_id = ${itemId}`.execute(ctx.db)
      return
    }
    const keep = ({ text, provider, model, insteadOf }: Made) =>
      sql`
        insert into summaries.summaries as s (owner_id, item_id, summary, provider, model, instead_of, discussions, discussed_at, generated_at)
        select i.owner_id, i.id, ${text}, ${provider}, ${model}, ${insteadOf}, ${count}::int, ${discussedAt}::timestamptz, ${ctx.now}
        from items.items i where i.owner_id = ${ownerId} and i.id = ${itemId}
        on conflict (owner_id, item_id) do update set summary = excluded.summary, provider = excluded.provider, model = excluded.model,
          instead_of = excluded.instead_of, discussions = excluded.discussions, discussed_at = excluded.discussed_at,
          generated_at = excluded.generated_at
        where s.generated_at <= excluded.generated_at
      `.execute(ctx.db)
    const provider = providerOf(ctx)
    const request = { title, discussions, maxChars: ctx.config(summariesConfig).max_chars, signal: ctx.signal }
    const made = await attempt(provider, request)
    if (typeof made === 'string') {
      await keep({ text: made, provider: provider.name, model: provider.model ?? null, insteadOf: null })
      return
    }
    const text = clean(await extractiveProvider.summarize(request), request.maxChars)
    await keep({ text, provider: extractiveProvider.name, model: null, insteadOf: provider.name })
    // The queue tries again; until it succeeds the summary says who stood in.
    throw made
  },
})

/** The summary, or why there is none. */
async function attempt(provider: SummaryProvider, request: SummaryRequest): Promise<string | Error> {
  try {
    const text = clean(await provider.summarize(request), request.maxChars)
    return text === '' ? new Error(`${provider.name} gave an empty summary`) : text
  } catch (error) {
    return error as Error
  }
}

async function readSource(ctx: WriteContext, ownerId: string, itemId: string): Promise<Source | undefined> {
  const { rows } = await sql<Source>`
    select i.title, ${ownerFeature('summaries')} as enabled, ${counted} as count, (${lastChange})::text as "discussedAt", (
      select jsonb_agg(jsonb_build_object('kind', d.kind, 'body', d.body, 'author', a.name, 'createdAt', ${iso('d.created_at')}) order by d.id)
      from (select * from discussions.discussions d where d.owner_id = i.owner_id and d.item_id = i.id
        order by d.id desc limit ${sql.lit(READ)}) d join core.users a on a.id = d.author_id) as discussions
    from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where i.owner_id = ${ownerId} and i.id = ${itemId}
  `.execute(ctx.db)
  return rows[0]
}

const ofItem = sql`from discussions.discussions d where d.owner_id = i.owner_id and d.item_id = i.id`
const counted: RawBuilder<number> = sql`(select count(*)::int ${ofItem})`
const lastChange = sql`select max(d.updated_at) ${ofItem}`

/** A text that the database can keep and that is not too long. */
function clean(text: string, most: number): string {
  return cut(text.replaceAll('\0', '').toWellFormed().trim(), most)
}

/** Queues a summary; without a delay it is made at once, beside one that may be waiting. */
export function summarizeSoon(
  ctx: WriteContext,
  { ownerId, itemId }: { readonly ownerId: string; readonly itemId: string },
  delaySeconds: number,
): Promise<void> {
  const payload = { owner_id: ownerId, item_id: itemId }
  const key = `${delaySeconds > 0 ? 'changed' : 'now'} ${ownerId} ${itemId}`
  const at = new Date(ctx.now.getTime() + delaySeconds * 1000)
  return ctx.enqueue(generateJob, payload, delaySeconds > 0 ? { key, at } : { key })
}

/** Items that one run of the catching up queues. */
const BATCH = 200

/**
 * Queues summaries of what was discussed while the plugin or the switch was off, and those that somebody stood in for when the provider
 * was away for longer than the queue tries; in batches: each run enqueues the next.
 */
export const catchUpJob = defineJob({
  name: 'summaries.catch_up',
  schedule: '43 17 * * *',
  payload: Type.Object({ after: Type.Optional(Type.Tuple([Type.String(), Type.String()])) }),
  async run(ctx, { after }) {
    const following = (alias: string) =>
      after
        ? sql`where (${sql.ref(`${alias}.owner_id`)}, ${sql.ref(`${alias}.item_id`)}) > (${after[0]}::uuid, ${after[1]}::uuid)`
        : sql``
    const { rows } = await sql<{ ownerId: string; itemId: string; stale: boolean }>`
      select i.owner_id as "ownerId", i.id as "itemId", ${ownerFeature('summaries')} and
        (s.item_id is null or s.instead_of is not null or s.discussions <> ${counted} or s.discussed_at is distinct from (${lastChange})) as stale
      from (
        (select distinct d.owner_id, d.item_id from discussions.discussions d ${following('d')} order by 1, 2 limit ${BATCH})
        union (select s.owner_id, s.item_id from summaries.summaries s ${following('s')} order by 1, 2 limit ${BATCH})
        order by 1, 2 limit ${BATCH}) x
      join items.items i on i.owner_id = x.owner_id and i.id = x.item_id
      join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      left join summaries.summaries s on s.owner_id = i.owner_id and s.item_id = i.id
      order by i.owner_id, i.id
    `.execute(ctx.db)
    for (const item of rows) if (item.stale) await summarizeSoon(ctx, item, 0)
    const last = rows.at(-1)
    if (last && rows.length === BATCH) await ctx.enqueue(catchUpJob, { after: [last.ownerId, last.itemId] })
  },
})
