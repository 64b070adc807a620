import { compare, contributedSql, fixedPlan, iso, noSql, parens, renderFragment, sql } from 'tasuki/plugin'
import type { Condition, Expression, ReadContext } from 'tasuki/plugin'
import { keyColumn, perCaller, refColumn } from '../projects/index.ts'
import { itemJoins, priorityName, refColumns, refsCondition } from './item.repository.ts'
import { chooseFields, nameOfFlags, type Shape } from './item-shape.ts'
import { BUILT_IN_KINDS } from './kinds.ts'
import { fromOther, otherRef } from './other-item.repository.ts'
import { itemPolicies } from './points.ts'
import type { Ref, RefRow } from './refs.ts'

/** Length of the body excerpt in listings, in code points. */
const SNIPPET = 280

const baseColumns = renderFragment(sql`i.title, i.due_date::text as due_date, i.due_time,
  i.start_date::text as start_date, ${priorityName} as priority, s.name as status, s.system_status,
  i.kind as agile_kind, ${iso('i.archived_at')} as archived_at`)

const singleColumns = sql.raw(
  'i.id, i.type, s.id as status_definition_id, s.category as state_category, s.status_attribute as state_attribute, s.color_hex as state_color',
)

const start = `left(i.detail, ${SNIPPET})`
// Compares bytes, because counting characters would read every body to its end.
const truncated = `nullif(octet_length(i.detail) > octet_length(${start}), false) as detail_truncated`
const snippet = sql.raw(`nullif(${start}, '') as detail, ${truncated}`)

function detailColumns({ detail }: Shape): Expression<unknown> | null {
  if (detail === 'none') return null
  if (detail === 'snippet') return snippet
  if (detail === 'full') return sql.raw('i.detail')
  const { offset, max } = detail
  if (offset === 0 && max === null) return sql.raw('i.detail, length(i.detail) as detail_length')
  const slice = sql.join([sql.ref('i.detail'), offset + 1, ...(max === null ? [] : [max])])
  return sql`substr(${slice}) as detail, length(i.detail) as detail_length`
}

/** Returns the select list of a read; the row source must have the alias `i` and be joined by `itemJoins`. */
export function itemColumns(ctx: ReadContext, shape: Shape): Expression<unknown> {
  const flags = nameOfFlags(shape)
  const own = perCaller(ctx, `columns of item ${flags}`, () => ownColumns(ctx, shape))
  const contributed = perCaller(ctx, `fields of item ${flags}`, () => contributedColumn(ctx, shape))
  const detail = detailColumns(shape)
  return sql.join(detail === null ? [own, contributed] : [own, detail, contributed])
}

function ownColumns(ctx: ReadContext, { flags }: Shape): Expression<unknown> {
  const parts: unknown[] = [refColumn(ctx).as('ref'), baseColumns]
  if (flags === 'single') parts.push(keyColumn(ctx, 'p').as('project_key'), singleColumns)
  else if (flags === 'written') parts.push(sql.raw(`nullif(i.type, 'task') as type`))
  return sql.join(parts)
}

function contributedColumn(ctx: ReadContext, shape: Shape): Expression<unknown> {
  const parts = chooseFields(ctx, shape).map(fields =>
    parens(contributedSql(fields, () => (typeof fields.sql === 'function' ? fields.sql(ctx) : fields.sql))),
  )
  return sql`json_build_array(${sql.join(parts)}) as contributed`
}

export type Row = Record<string, unknown>

/** A row of a read, with the columns that reference matching needs. */
export type FoundRow = RefRow & { readonly columns: Row }

/** Reads rows for `itemFrom` by a condition on `i`, in one statement. @param extra further columns, each preceded by a comma */
export async function readItems(
  ctx: ReadContext,
  where: Condition,
  shape: Shape,
  extra: Expression<unknown> = noSql,
): Promise<FoundRow[]> {
  const { rows } = await sql<RefRow & Row>`
    select ${itemColumns(ctx, shape)}, ${refColumns(ctx)} ${extra}
    from items.items i ${itemJoins} where ${where}
  `.execute(ctx.db)
  return rows.map(({ ownerId, number, key, formerKeys = null, ownerEmail = null, ...columns }) => {
    return { ownerId, number, key, formerKeys, ownerEmail, columns }
  })
}

/** Reads the rows that a reference may name. */
export function readItemsByRef(ctx: ReadContext, ref: Ref, shape: Shape, extra?: Expression<unknown>) {
  return readItems(ctx, refsCondition(ctx, [ref]), shape, extra)
}

/** Reads the row of one item by its key. */
export async function readItemByKey(ctx: ReadContext, ownerId: string, id: string, shape: Shape): Promise<Row> {
  const [row] = await readItems(ctx, sql`${fixedPlan} i.owner_id = ${ownerId} and i.id = ${id}`, shape)
  return row!.columns
}

/** Returns the sections of an item and their total row counts as further columns of `readItems`. */
export function sectionColumns(
  sections: readonly Expression<unknown>[],
  totals: readonly (Expression<number> | undefined)[],
): Expression<unknown> {
  const counts = totals.map(total => parens(total ?? sql.lit(null)))
  return sql`, json_build_array(${sql.join(sections.map(parens))}) as sections, json_build_array(${sql.join(counts)}) as totals`
}

/** Timestamps of an item as one JSON object. */
export const timestampsField: Expression<unknown> = sql`json_build_object('created_at', ${iso('i.created_at')}, 'updated_at', ${iso('i.updated_at')},
    'completed_at', ${iso('i.completed_at')}, 'last_activity_at', ${iso('i.last_activity_at')})`

/** Returns SQL for the parent of an item, if the caller may see it. */
export const parentField = (ctx: ReadContext): Expression<unknown> =>
  sql`select json_build_object('parent_ref', ${otherRef(ctx)}, 'parent_title', o.title, 'parent_kind', o.kind)
    ${fromOther(ctx, 'i.owner_id', compare('o.id', '=', sql.ref('i.parent_id')))}`

/** Returns SQL for the policies of an item's project: its kinds, and what plugins add. */
export function policyField(ctx: ReadContext): Expression<unknown> {
  const others = ctx
    .all(itemPolicies)
    .flatMap(policy => [sql.lit(policy.name), parens(contributedSql(policy, () => policy.sql(ctx)))])
  const kind = sql`jsonb_build_object('allowed', ${sql.lit(JSON.stringify(BUILT_IN_KINDS))}::jsonb || coalesce((
      select jsonb_agg(k.kind order by k.display_order, k.kind) from items.kinds k
      where k.owner_id = p.owner_id and k.project_id = p.id), '[]'))`
  return sql`jsonb_build_object('resolved_field_policy', jsonb_build_object(${sql.join([sql.lit('kind'), kind, ...others])}))`
}
