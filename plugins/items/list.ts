import {
  choice,
  date,
  guarded,
  nullable,
  sql,
  Type,
  type All,
  type RawBuilder,
  type ReadContext,
  type Static,
  type TObject,
} from 'tasuki/plugin'
import {
  access,
  projectKey,
  readKey,
  requireFeature,
  requireProject,
  visible,
  whereFeature,
  type Feature,
} from '../projects/index.ts'
import type { ItemType } from './draft.ts'
import { archivedRule, compileFilter } from './filters.ts'
import { itemJoins } from './find.ts'
import { containsText } from './query/filter-sql.ts'
import { itemColumns, itemsFrom, listedItem, type Row, type Shape } from './read.ts'

/** Parameters that every listing of items has. */
export const listParams = {
  project_key: Type.Optional(projectKey()),
  title_contains: Type.Optional(guarded(Type.String({ description: 'Text in the title.' }), { maxLength: 200 })),
  q: Type.Optional(guarded(Type.String({ description: 'Filter query, see search_help.' }), { maxLength: 2000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Page size.' })),
  offset: Type.Optional(guarded(Type.Integer({ description: 'From next_offset.' }), { minimum: 0 })),
  include_detail: Type.Optional(Type.Boolean({ default: true, description: 'Body excerpt.' })),
}

/** Parameters of listings whose items can be open or due. */
export const dueParams = {
  status: Type.Optional(choice(['open', 'closed'], { description: 'Only these.' })),
  due_before: Type.Optional(date('Due before YYYY-MM-DD.')),
  due_after: Type.Optional(date('Due after YYYY-MM-DD.')),
}

export const sortParams = {
  sort: Type.Optional(
    choice(['due', 'created', 'updated', 'priority'], {
      default: 'due',
      description: 'due: earliest first; priority: urgent first.',
    }),
  ),
  order: Type.Optional(choice(['asc', 'desc'], { default: 'desc', description: 'For created and updated.' })),
  include_total: Type.Optional(Type.Boolean({ description: 'Adds total.' })),
}

/** The output of a listing. */
export function listOutput(all: All): TObject {
  return Type.Object({
    items: Type.Array(listedItem(all)),
    has_more: Type.Boolean(),
    next_offset: nullable(Type.Integer()),
    total: Type.Optional(Type.Integer()),
    warnings: Type.Optional(Type.Array(Type.String())),
  })
}

const AllParams = Type.Object({ ...listParams, ...dueParams, ...sortParams })
export type ListInput = Partial<Static<typeof AllParams>>

export type ListResult = {
  items: Row[]
  has_more: boolean
  next_offset: number | null
  total?: number
  warnings?: string[]
}

/** No owner has more items; the database takes no larger numbers than it needs. */
const OFFSET_MAX = 1_000_000_000

/**
 * Lists items of one type in one statement: the page first, then what was asked for about its rows.
 * @param feature the switch of the type: items of projects that have it off are left out, and such a project is refused
 */
export async function listItems(
  ctx: ReadContext,
  type: ItemType,
  input: ListInput,
  feature?: Feature,
): Promise<ListResult> {
  const { limit = 10, sort = 'due' } = input
  const offset = Math.min(input.offset ?? 0, OFFSET_MAX)
  const query = input.q === undefined ? null : compileFilter(ctx, input.q)
  const shape: Shape = { flags: flagsOf(input), detail: input.include_detail === false ? 'none' : 'snippet' }
  const switchedOn = feature === undefined ? null : whereFeature(ctx, feature, 'i')
  const where = sql<boolean>`${sql.join(
    [
      visible(ctx, 'i'),
      sql`i.type = ${type}`,
      archivedRule(query),
      ...(await conditions(ctx, input)),
      ...(query?.where ? [query.where] : []),
      ...(switchedOn ? [switchedOn] : []),
    ],
    sql` and `,
  )}`
  const order = orderBy(ctx, sort, input.order ?? 'desc')
  // A query may name the project or the state of an item; without one the page is found in the items alone.
  const source = sql`items.items i ${query?.where ? itemJoins : sql``} where ${where}`
  const page = sql`(select i.* from ${source} order by ${order} limit ${limit + 1} offset ${offset}) i ${itemJoins}`
  const columns = itemColumns(ctx, shape)
  const { rows } = input.include_total
    ? await sql<Row & { total: number }>`
        select n.total, page.* from (select count(*)::int as total from ${source}) n
        left join lateral (select ${columns}, row_number() over (order by ${order}) as place from ${page}) page on true order by page.place
      `.execute(ctx.db)
    : await sql<Row & { total?: number }>`select ${columns} from ${page} order by ${order}`.execute(ctx.db)
  const total = rows[0]?.total
  const found = rows.filter(row => row['ref'] !== null)
  if (found.length === 0 && input.project_key !== undefined) {
    const project = await requireProject(ctx, input.project_key)
    if (feature !== undefined) requireFeature(ctx, feature, project)
  }
  const items = itemsFrom(
    ctx,
    shape,
    found.slice(0, limit).map(({ total: _total, place: _place, ...row }) => row),
  )
  const has_more = found.length > limit
  const warnings = warningsOf(input)
  return {
    items,
    has_more,
    next_offset: has_more ? offset + limit : null,
    ...(total !== undefined && { total }),
    ...(warnings.length > 0 && { warnings }),
  }
}

function flagsOf(input: object): ReadonlySet<string> {
  return new Set(
    Object.entries(input).flatMap(([name, value]) => (value === true && name.startsWith('include_') ? [name] : [])),
  )
}

async function conditions(ctx: ReadContext, input: ListInput): Promise<RawBuilder<boolean>[]> {
  const { project_key: key, status, due_before: before, due_after: after, title_contains: title } = input
  const list: RawBuilder<boolean>[] = []
  if (key !== undefined) list.push(await inProject(ctx, key))
  if (status !== undefined) list.push(status === 'open' ? sql`i.completed_at is null` : sql`i.completed_at is not null`)
  if (before !== undefined) list.push(sql`i.due_date < ${before}::date`)
  if (after !== undefined) list.push(sql`i.due_date > ${after}::date`)
  if (title !== undefined) list.push(containsText(sql`i.title`, title))
  return list
}

/**
 * Condition for the items of one project. A user without shared projects has each key once, so the look-up is part of the statement;
 * the others may have to be asked which project they mean.
 */
export async function inProject(ctx: ReadContext, key: string): Promise<RawBuilder<boolean>> {
  if (access(ctx).shared.length === 0) {
    const wanted = readKey(key)
    if (wanted.owner === null) {
      return sql`i.project_id = (select k.id from projects.projects k where k.owner_id = ${ctx.actor.userId} and k.key = ${wanted.key})`
    }
  }
  const project = await requireProject(ctx, key)
  return sql`i.owner_id = ${project.ownerId} and i.project_id = ${project.id}`
}

function orderBy(
  ctx: ReadContext,
  sort: 'due' | 'created' | 'updated' | 'priority',
  order: 'asc' | 'desc',
): RawBuilder<unknown> {
  // Numbers are unique per owner: only callers who see several owners need one more key for a stable order.
  const tie = access(ctx).shared.length > 0 ? sql`, i.owner_id` : sql``
  const direction = sql.raw(order)
  switch (sort) {
    case 'due':
      return sql`i.due_date, i.number${tie}`
    case 'priority':
      return sql`i.priority, i.number${tie}`
    case 'created':
      return sql`i.created_at ${direction}, i.number ${direction}${tie}`
    case 'updated':
      return sql`i.updated_at ${direction}, i.number ${direction}${tie}`
  }
}

function warningsOf({ order, sort = 'due' }: ListInput): string[] {
  if (order === undefined || sort === 'created' || sort === 'updated') return []
  return [`order is for created and updated; sort=${sort} has one order.`]
}
