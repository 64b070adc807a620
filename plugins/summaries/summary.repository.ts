import { castTo, deleteWhere, expressions, isAfter, iso, isOneOf, parens, refersTo, sql } from 'tasuki/plugin'
import type { Expression, NewRow, ReadContext, WriteContext } from 'tasuki/plugin'
import { ownerFeature } from '../projects/index.ts'
import type { SummaryDiscussion } from './points.ts'

const ofItem = expressions<{ i: 'items.items' }>()
  .selectFrom('discussions.discussions as d')
  .where(refersTo('d.item_id', 'i'))
/** The number of discussions of the item `i`, and the time of their last change. */
const discussionCount = ofItem.select(({ cast, fn }) => cast<number>(fn.countAll(), 'integer').as('count')).$asScalar()
const lastChange = ofItem.select(({ fn }) => fn.max('d.updated_at').as('at')).$asScalar()
const isEnabled = ownerFeature('summaries')

/** Selects items `i` with their projects `p`. */
const selectItems = ({ db }: ReadContext) =>
  db
    .selectFrom('items.items as i')
    .innerJoin('projects.projects as p', join =>
      join.onRef('p.owner_id', '=', 'i.owner_id').onRef('p.id', '=', 'i.project_id'),
    )

/** The summary of the item `i`, with its source; null for none. */
const summaryJson = sql<{
  detail_summary: string
  detail_summary_source: object
} | null>`select json_build_object('detail_summary', s.summary, 'detail_summary_source', json_strip_nulls(json_build_object(
    'provider', s.provider, 'model', s.model, 'instead_of', s.instead_of, 'discussions', s.discussions, 'generated_at', ${iso('s.generated_at')})))
  from summaries.summaries s where s.owner_id = i.owner_id and s.item_id = i.id`

/** The summary of the item `i`, if its project has the feature on. Most items have no summary, and then the feature is not looked up. */
export const summaryField: Expression<unknown> = sql`${summaryJson} and case when s.item_id is not null then ${isEnabled} end`

export interface ItemId {
  readonly ownerId: string
  readonly itemId: string
}

/** Filters items by projects with summaries on. */
export async function filterEnabled(ctx: ReadContext, items: readonly ItemId[]): Promise<readonly ItemId[]> {
  const keys = items.map(({ ownerId, itemId }) => [ownerId, itemId])
  return selectItems(ctx)
    .select(['i.owner_id as ownerId', 'i.id as itemId'])
    .where(isOneOf(['i.owner_id', 'i.id'], keys))
    .where(isEnabled)
    .execute()
}

/**
 * Reads the input of a summary: the newest discussions of an item, oldest first.
 * @returns `discussedAt`: when the last discussion changed; null = no discussion
 */
export async function readSource(ctx: ReadContext, { ownerId, itemId }: ItemId, limit: number) {
  const newest = ofItem.selectAll().orderBy('d.id', 'desc').limit(limit)
  const discussions = sql<SummaryDiscussion[] | null>`(
    select jsonb_agg(jsonb_build_object('kind', d.kind, 'body', d.body, 'author', coalesce(a.name, 'Deleted user'), 'createdAt', ${iso('d.created_at')}) order by d.id)
    from ${newest} d left join core.users a on a.id = d.author_id)`
  return selectItems(ctx)
    .select([
      'i.title',
      isEnabled.as('enabled'),
      discussionCount.as('count'),
      castTo<string | null>(lastChange, 'text').as('discussedAt'),
      discussions.as('discussions'),
    ])
    .where(({ and }) => and({ 'i.owner_id': ownerId, 'i.id': itemId }))
    .executeTakeFirst()
}

/** Reads the current summary of an item, and the input of a new one. */
export async function readPresent(ctx: ReadContext, { ownerId, itemId }: ItemId) {
  return selectItems(ctx)
    .select([isEnabled.as('enabled'), parens(summaryJson).as('summary'), discussionCount.as('discussions')])
    .where(({ and }) => and({ 'i.owner_id': ownerId, 'i.id': itemId }))
    .executeTakeFirstOrThrow()
}

type NewSummary = Omit<NewRow<'summaries.summaries'>, 'owner_id' | 'item_id' | 'generated_at'>

/** Stores a summary, unless the item was deleted or has a summary of newer discussions. */
export async function upsertSummary(ctx: WriteContext, { ownerId, itemId }: ItemId, row: NewSummary): Promise<void> {
  const { summary, provider, model, instead_of, discussions, discussed_at } = row
  await sql`
    insert into summaries.summaries as s (owner_id, item_id, summary, provider, model, instead_of, discussions, discussed_at, generated_at)
    select i.owner_id, i.id, ${summary}, ${provider}, ${model}, ${instead_of}, ${discussions}::int, ${discussed_at}::timestamptz, ${ctx.now}
    from items.items i where i.owner_id = ${ownerId} and i.id = ${itemId}
    on conflict (owner_id, item_id) do update set summary = excluded.summary, provider = excluded.provider, model = excluded.model,
      instead_of = excluded.instead_of, discussions = excluded.discussions, discussed_at = excluded.discussed_at,
      generated_at = excluded.generated_at
    where s.generated_at <= excluded.generated_at
  `.execute(ctx.db)
}

export async function deleteSummary(ctx: WriteContext, { ownerId, itemId }: ItemId): Promise<void> {
  await deleteWhere(ctx.db, 'summaries.summaries', { owner_id: ownerId, item_id: itemId })
}

/**
 * Reads items with discussions or a summary in key order, each with whether its summary is out of date or from another provider than the
 * configured one.
 * @param after key of the last item of the previous page
 */
export async function readStale(ctx: ReadContext, after: readonly [string, string] | undefined, limit: number) {
  const follows = (alias: string) => isAfter([`${alias}.owner_id`, `${alias}.item_id`], after)
  const { rows } = await sql<ItemId & { readonly stale: boolean }>`
    select i.owner_id as "ownerId", i.id as "itemId", ${isEnabled} and
      (s.item_id is null or s.instead_of is not null or s.discussions <> ${discussionCount} or s.discussed_at is distinct from ${lastChange}) as stale
    from (
      (select distinct d.owner_id, d.item_id from discussions.discussions d where ${follows('d')} order by 1, 2 limit ${limit})
      union (select s.owner_id, s.item_id from summaries.summaries s where ${follows('s')} order by 1, 2 limit ${limit})
      order by 1, 2 limit ${limit}) x
    join items.items i on i.owner_id = x.owner_id and i.id = x.item_id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    left join summaries.summaries s on s.owner_id = i.owner_id and s.item_id = i.id
    order by i.owner_id, i.id
  `.execute(ctx.db)
  return rows
}
