import { expressions, noSql, parameterize, sql } from 'tasuki/plugin'
import type { Condition, Expression, OwnedKey, RawBuilder, ReadContext } from 'tasuki/plugin'
import { access, keyColumn, visible } from '../projects/index.ts'
import type { ItemType } from './draft.ts'
import { itemColumns, type Row } from './item-columns.repository.ts'
import type { Shape } from './item-shape.ts'
import { itemJoins, priorityName } from './item.repository.ts'
import { WORDS, type CompiledQuery } from './query/compile.ts'
import { excludeArchived, isSomeday, joinsOf } from './query/compile-filter.ts'
import { allOf, containsText, isSet, isUnset } from './query/filter.repository.ts'

const item = expressions<{ i: 'items.items' }>()

/** The filter of a listing, in addition to what the caller may see. */
export interface ListFilter {
  readonly type: ItemType
  readonly query: CompiledQuery | null
  /** Restricts the items to one project. */
  readonly inProject: Condition | null
  /** Restricts the items to projects with the feature on. */
  readonly switchedOn: Condition | null
  readonly status?: 'open' | 'closed' | undefined
  readonly stateId?: string | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly title?: string | undefined
}
export interface ListPage {
  readonly sort: 'due' | 'created' | 'updated' | 'priority'
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** Items to find by words: for a page alone, the planner looks at all items in their order and not at the few that the index of words has. */
const PLANNED = 200

/**
 * Reads a page of items and, with `total`, the number of all items. The page is found first, then the requested fields of its rows.
 * @returns with `total` at least one row, whose `ref` is null if the page is empty
 */
export async function readPage(
  ctx: ReadContext,
  filter: ListFilter,
  { sort, order: direction, limit, offset }: ListPage,
  { shape, total }: { readonly shape: Shape; readonly total: boolean },
): Promise<readonly (Row & { readonly total?: number })[]> {
  const { query } = filter
  const order = orderBy(ctx, sort, direction)
  const source = sql`items.items i ${joinsOf(ctx, query?.where)} where ${sql.join(conditionsOf(ctx, filter), sql.raw(' and '))}`
  const planned = sql`with f as materialized (select i.* from ${source} order by ${order} limit ${offset + Math.max(limit, PLANNED)})`
  const [before, found] = query?.mentions.has(WORDS) ? [planned, sql.raw('f i')] : [noSql, source]
  const page = sql`(${before} select i.* from ${found} order by ${order} limit ${limit} offset ${offset}) i ${itemJoins}`
  const columns = itemColumns(ctx, shape)
  const { rows } = total
    ? await sql<Row & { total: number }>`
        select n.total, page.* from (select count(*)::int as total from ${source}) n
        left join lateral (select ${columns}, row_number() over (order by ${order}) as place from ${page}) page on true order by page.place
      `.execute(ctx.db)
    : await sql<Row>`select ${columns} from ${page} order by ${order}`.execute(ctx.db)
  return rows
}

const isOfType = parameterize((type: Expression<ItemType>) => item('i.type', '=', type))

function conditionsOf(ctx: ReadContext, filter: ListFilter): Condition[] {
  const { type, query, inProject, switchedOn, status, stateId, before, after, title } = filter
  const list = [
    visible(ctx, 'i'),
    isOfType(type),
    excludeArchived(query),
    inProject ?? excludeArchivedProjects(ctx, query),
  ]
  if (status !== undefined) list.push(status === 'closed' ? isSet('completed_at') : isUnset('completed_at'))
  if (stateId !== undefined) list.push(item('i.state_id', '=', stateId))
  if (before !== undefined) list.push(item('i.due_date', '<', before))
  if (after !== undefined) list.push(item('i.due_date', '>', after))
  if (title !== undefined) list.push(containsText('i.title', title))
  if (query?.where) list.push(query.where)
  if (switchedOn) list.push(switchedOn)
  return list
}

/** Keys of the filter language that name one project, or something in it. */
const PLACES = ['project', 'ref', 'parent', 'area', 'sprint', 'version']

/** Hides the items of archived projects unless the query names a place. */
function excludeArchivedProjects(ctx: ReadContext, query: CompiledQuery | null): Condition {
  if (PLACES.some(key => query?.mentions.has(key))) return sql.lit(true)
  return sql`(i.owner_id, i.project_id) not in (
    select a.owner_id, a.id from projects.projects a where ${visible(ctx, 'a', 'id')} and a.archived_at is not null)`
}

function orderBy(ctx: ReadContext, sort: ListPage['sort'], order: ListPage['order']): Expression<unknown> {
  // Numbers are unique per owner, so only callers who see several owners need the owner for a stable order.
  const tie = access(ctx).shared.length > 0 ? ', i.owner_id' : ''
  if (sort === 'created' || sort === 'updated') return sql.raw(`i.${sort}_at ${order}, i.number ${order}${tie}`)
  return sql.raw(`i.${sort === 'due' ? 'due_date, i.due_time nulls first' : 'priority'}, i.number${tie}`)
}

/** Returns the condition for the items of an owner's project with a key. */
export const isInProjectOf = parameterize((owner: Expression<string>, key: Expression<string>) => {
  const projects = item.selectFrom('projects.projects as k').select('k.id')
  return item('i.project_id', '=', projects.where('k.owner_id', '=', owner).where('k.key', '=', key))
})

/** Returns the condition for the items of a project. */
export function isInProject({ ownerId, id }: OwnedKey): Condition {
  return item.and({ 'i.owner_id': ownerId, 'i.project_id': id })
}

export const FACETS = ['state', 'priority', 'agile_kind', 'project', 'schedule_kind'] as const
export type Facet = (typeof FACETS)[number]

/** Counts the items that match a query by one property, most frequent first. */
export async function countByFacet(
  ctx: ReadContext,
  facet: Facet,
  query: CompiledQuery | null,
  inProject: Condition | null,
): Promise<readonly { readonly value: string | null; readonly count: number }[]> {
  const place = inProject ?? excludeArchivedProjects(ctx, query)
  const conditions = [visible(ctx, 'i'), excludeArchived(query), place, ...(query?.where ? [query.where] : [])]
  const value = facetColumn(ctx, facet)
  const where = allOf(conditions)
  const { rows } = await sql<{ value: string | null; count: number }>`
    select ${value} as value, count(*)::int as count from items.items i ${joinsOf(ctx, sql.join([value, where]))}
    where ${where} group by 1 order by 2 desc, 1
  `.execute(ctx.db)
  return rows
}

function facetColumn(ctx: ReadContext, facet: Facet): RawBuilder<string> {
  switch (facet) {
    case 'state':
      return sql.ref('s.name')
    case 'priority':
      return priorityName
    case 'agile_kind':
      return sql.ref('i.kind')
    case 'project':
      return keyColumn(ctx, 'p')
    case 'schedule_kind':
      return sql`case when i.due_date is not null or i.start_date is not null then 'dated'
        when ${isSomeday(ctx)} then 'someday' else 'anytime' end`
  }
}
