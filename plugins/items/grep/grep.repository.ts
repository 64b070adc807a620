import { castTo, compare, contributedSql, expressions, isAfter, negate, parens, sql } from 'tasuki/plugin'
import type { Condition, Expression, ReadContext } from 'tasuki/plugin'
import { isOfVisibleOwner, refColumn, visible } from '../../projects/index.ts'
import type { ItemGrepField } from '../points.ts'
import type { CompiledQuery } from '../query/compile.ts'
import { excludeArchived, joinsOf } from '../query/compile-filter.ts'
import { allOf, anyOf } from '../query/filter.repository.ts'

/** A condition on a column of texts. */
export type TextCondition = (column: string | Expression<unknown>) => Condition

/** Returns the condition that texts match an operator and its operand, such as `like` and a pattern. */
export function matches(operator: 'like' | 'ilike' | '~', operand: string): TextCondition {
  return column => compare(column, operator, castTo(operand, 'text'))
}

/** Returns the condition that every text meets. */
export const matchesAny: TextCondition = () => sql.lit(true)

/** The part of a pattern that narrows down candidates in SQL. */
interface Narrowing {
  readonly sqlCandidate: TextCondition
}

/** Texts of an item, with the condition by which the database selects candidates. */
export interface GrepField {
  readonly name: string
  /** SQL of a jsonb array of texts. */
  readonly texts: Expression<unknown>
  /** A column of the item itself. */
  readonly own: boolean
  /** A condition that every item with a match meets. */
  candidate(pattern: Narrowing): Condition
  /** Subquery for the ids of candidates, if an index can find them without a scan of every item. */
  candidateIds?(pattern: Narrowing): Expression<unknown>
}

/** Defines a column of the item itself as a field. */
export function ownField(name: 'title' | 'detail'): GrepField {
  const column = sql.ref(`i.${name}`)
  return {
    name,
    own: true,
    texts: expressions<{ i: 'items.items' }>().fn('json_build_array', [column]),
    candidate: pattern => pattern.sqlCandidate(column),
  }
}

/** Wraps a field that another plugin contributes. */
export function contributedField(
  ctx: ReadContext,
  field: ItemGrepField,
  input: Readonly<Record<string, unknown>>,
): GrepField {
  const texts = contributedSql(field, () => field.texts(ctx, input))
  const base = { name: field.name, own: false, texts }
  if (!field.candidates)
    return {
      ...base,
      candidate: ({ sqlCandidate }) =>
        sql`exists (select from jsonb_array_elements_text((${texts})::jsonb) as t (text) where ${sqlCandidate('t.text')})`,
    }
  const candidateIds = ({ sqlCandidate }: Narrowing): Expression<unknown> =>
    contributedSql(field, () => field.candidates!(ctx, sqlCandidate, input))
  return {
    ...base,
    candidateIds,
    // The offset keeps the planner from computing all candidates first.
    candidate: pattern => sql`exists (select from (${candidateIds(pattern)}) c (id) where c.id = i.id offset 0)`,
  }
}

export interface Candidate {
  readonly ref: string
  readonly title: string
  readonly type: string
  readonly ownerId: string
  readonly number: number
  readonly texts: readonly (readonly string[] | null)[]
}

/** Up to this many candidates of a field are looked up by id. With more of them, a scan in item order fills a page quickly. */
const MAX_LOOKUPS = 2000

/** The place of an item in the order of owners and numbers. */
export interface GrepPlace {
  readonly ownerId: string
  readonly number: number
}

/** The search and the place where it continues. */
export interface CandidateSearch {
  readonly fields: readonly GrepField[]
  readonly pattern: Narrowing
  readonly query: CompiledQuery | null
  readonly after: GrepPlace | null
  readonly limit: number
}

/**
 * Reads the next items that may match. The items' own columns and each contributed field have their own query, so that each can use its
 * index; the first rows of the union are the first rows overall.
 */
export async function readCandidates(
  ctx: ReadContext,
  { fields, pattern, query, after, limit }: CandidateSearch,
): Promise<readonly Candidate[]> {
  const conditions = [visible(ctx, 'i'), excludeArchived(query), ...(query?.where ? [query.where] : [])]
  const next = isAfter(['i.owner_id', 'i.number'], after && [after.ownerId, after.number])
  const search = (...more: Condition[]): Expression<unknown> => sql`(
    select i.owner_id, i.number, i.id from items.items i ${joinsOf(ctx, query?.where)} where ${allOf([...conditions, next, ...more])}
    order by i.owner_id, i.number limit ${limit})`
  const own = fields.filter(field => field.own).map(field => field.candidate(pattern))
  const searches = own.length > 0 ? [search(anyOf(own))] : []
  const gathered: Expression<unknown>[] = []
  for (const { own: isOwn, candidate, candidateIds } of fields) {
    if (isOwn) continue
    if (!candidateIds) {
      searches.push(search(candidate(pattern)))
      continue
    }
    // The actual count decides, not the planner's estimate; the other of the two queries then does nothing.
    const ids = sql.ref(`ids${gathered.length}`)
    const few = compare(sql`(select cardinality(ids) from ${ids})`, '<=', MAX_LOOKUPS)
    gathered.push(
      sql`${ids} as materialized (select array(select c.id from (${candidateIds(pattern)}) c (id) limit ${MAX_LOOKUPS + 1}) as ids)`,
    )
    searches.push(
      search(few, isOfVisibleOwner(ctx, 'i'), sql`i.id in (select unnest(ids) from ${ids})`),
      search(negate(few), candidate(pattern)),
    )
  }
  const { rows } = await sql<Candidate>`
    ${sql.raw(gathered.length > 0 ? 'with' : '')} ${sql.join(gathered)}
    select ${refColumn(ctx)} as ref, i.title, i.type, i.owner_id as "ownerId", i.number,
      json_build_array(${sql.join(fields.map(({ texts }) => parens(texts)))}) as texts
    from (select * from (${sql.join(searches, sql.raw(' union '))}) each order by owner_id, number limit ${limit}) found
    join items.items i on i.owner_id = found.owner_id and i.id = found.id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    order by i.owner_id, i.number
  `.execute(ctx.db)
  return rows
}
