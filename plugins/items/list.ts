import { choice, date, endOfPage, guarded, nullable, plusDays, Type } from 'tasuki/plugin'
import type { All, Condition, ReadContext, Static, TObject } from 'tasuki/plugin'
import { access, projectKey, readKey, requireFeature, requireProject, whereFeature } from '../projects/index.ts'
import type { Feature } from '../projects/index.ts'
import type { ItemType } from './draft.ts'
import { isInProjectOf, isInProject, readPage } from './item-list.repository.ts'
import type { Shape } from './item-shape.ts'
import type { CompiledQuery } from './query/compile.ts'
import { compileFilter } from './query/compile-filter.ts'
import { explainEmpty } from './query/explain-empty.repository.ts'
import { parseQuery } from './query/parse.ts'
import { itemsFrom, listItemSchema } from './read.ts'

/** Parameters of every listing of items. */
export const listParams = {
  project_key: Type.Optional(projectKey()),
  title_contains: Type.Optional(guarded(Type.String({ description: 'Text in the title.' }), { maxLength: 200 })),
  q: Type.Optional(guarded(Type.String({ description: 'Filter query; see search_help.' }), { maxLength: 2000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Page size.' })),
  offset: Type.Optional(guarded(Type.Integer({ description: 'From next_offset.' }), { minimum: 0 })),
  include_detail: Type.Optional(Type.Boolean({ default: true, description: 'Body excerpt.' })),
}

const FILTERS =
  'archived area completed date done due due_date include_archived kind label labels overdue parent priority sprint state status tag tags type version'
/** Answers parameters that do not exist and would filter: without them a listing would show more than was asked for. */
export const filterMisnomers: Readonly<Record<string, string>> = Object.fromEntries(
  FILTERS.split(' ').map(word => [word, 'q filters by it, as in priority:high due:today; search_help lists its keys.']),
)

/** Additional parameters of listings whose items can be open or due. */
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

/** Returns the output schema of a listing. */
export function listOutput(all: All): TObject {
  return Type.Object({
    items: Type.Array(listItemSchema(all)),
    has_more: Type.Boolean(),
    next_offset: nullable(Type.Integer()),
    total: Type.Optional(Type.Integer()),
    warnings: Type.Optional(Type.Array(Type.String())),
  })
}

const AllParams = Type.Object({ ...listParams, ...dueParams, ...sortParams })
export type ListInput = Partial<Static<typeof AllParams>>

/** More than any owner can have, and within the range of the database's integers. */
const OFFSET_MAX = 1_000_000_000

/**
 * Lists items of one type in one statement: first the page, then the requested fields of its rows.
 * @param feature the feature of the type; projects without it are excluded, and refused if named
 * @param stateId shows one state only, for pages that list each
 */
export async function listItems(
  ctx: ReadContext,
  type: ItemType,
  input: ListInput,
  { feature, stateId }: { readonly feature?: Feature; readonly stateId?: string } = {},
) {
  const { limit = 10, sort = 'due' } = input
  const offset = Math.min(input.offset ?? 0, OFFSET_MAX)
  const query = input.q === undefined ? null : compileFilter(ctx, input.q)
  const shape: Shape = { flags: flagsOf(input), detail: input.include_detail === false ? 'none' : 'snippet' }
  const rows = await readPage(
    ctx,
    {
      type,
      query,
      inProject: input.project_key === undefined ? null : await inProject(ctx, input.project_key),
      switchedOn: feature === undefined ? null : whereFeature(ctx, feature, 'i'),
      status: input.status,
      stateId,
      before: input.due_before,
      after: input.due_after,
      title: input.title_contains,
    },
    { sort, order: input.order ?? 'desc', limit: limit + 1, offset },
    { shape, total: input.include_total === true },
  )
  const total = rows[0]?.total
  const found = rows.filter(row => row['ref'] !== null)
  const isEmpty = found.length === 0 && stateId === undefined
  if (isEmpty && input.project_key !== undefined) {
    const project = await requireProject(ctx, input.project_key)
    if (feature !== undefined) requireFeature(ctx, feature, project)
  }
  const shown = found.slice(0, limit).map(({ total: _total, place: _place, ...row }) => row)
  const items = itemsFrom(ctx, shape, shown)
  const warnings = warningsOf(input)
  if (isEmpty && offset === 0) warnings.push(...(await explainNothing(ctx, type, input, query)))
  return {
    items,
    ...endOfPage(found.length, { limit, offset }),
    ...(total !== undefined && { total }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Explains an empty first page. */
async function explainNothing(ctx: ReadContext, type: ItemType, input: ListInput, query: CompiledQuery | null) {
  const { q, project_key: key } = input
  if (q === undefined || query === null) return []
  const { mentions } = query
  const both = `project_key and project: in q both limit the list: to items of ${key} that q names too.`
  const others = `This lists items of type ${type} alone; type: in q names others.`
  return [
    ...(key !== undefined && mentions.has('project') ? [both] : []),
    ...(mentions.has('type') && !mentions.has(`type:${type}`) ? [others] : []),
    ...(await explainEmpty(ctx, parseQuery(q))),
  ]
}

function flagsOf(input: object): ReadonlySet<string> {
  return new Set(
    Object.entries(input).flatMap(([name, value]) => (value === true && name.startsWith('include_') ? [name] : [])),
  )
}

/**
 * Returns the condition for the items of one project. Without shared projects each key is unique for the caller, so the lookup is part of
 * the statement; otherwise an ambiguous key must be refused first.
 */
export async function inProject(ctx: ReadContext, key: string): Promise<Condition> {
  if (access(ctx).shared.length === 0) {
    const wanted = readKey(key)
    if (wanted.owner === null) return isInProjectOf(ctx.actor.userId, wanted.key)
  }
  return isInProject(await requireProject(ctx, key))
}

function warningsOf({ order, sort = 'due', due_after: after, due_before: before }: ListInput): string[] {
  const unused = order !== undefined && sort !== 'created' && sort !== 'updated'
  const noDay = after !== undefined && before !== undefined && plusDays(after, 1) >= before
  return [
    ...(unused ? [`order is for created and updated; sort=${sort} has one order.`] : []),
    ...(noDay ? [`No day is after due_after ${after} and before due_before ${before}; neither includes its day.`] : []),
  ]
}
