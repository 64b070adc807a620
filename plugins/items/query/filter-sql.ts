import { contains, sql, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { access, keyIsOwn, visible } from '../../projects/index.ts'
import type { FilterTerm, FilterValue, ItemFilter, ItemRefValue } from './filter.ts'

/** A column with its alias (`i.due_date`), or any SQL expression. */
export type Column = string | RawBuilder<unknown>
type FilterSql = ItemFilter['sql']
type Of<K extends FilterValue['kind']> = Extract<FilterValue, { readonly kind: K }>

export function columnOf(column: Column): RawBuilder<unknown> {
  return typeof column === 'string' ? sql.ref(column) : column
}

export function anyOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 1 ? conditions[0]! : sql`(${sql.join(conditions, sql` or `)})`
}

export function allOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 1 ? conditions[0]! : sql`(${sql.join(conditions, sql` and `)})`
}

/** For `date` columns. */
export function dateFilter(column: Column): FilterSql {
  return (_ctx, term) => dayCondition(term, columnOf(column), day => sql`${day}::date`)
}

/** For `timestamptz` columns: a day is that day in the owner's time zone. */
export function timestampFilter(column: Column): FilterSql {
  return (ctx, term) =>
    dayCondition(term, columnOf(column), day => sql`((${day}::date)::timestamp at time zone ${ctx.timeZone}::text)`)
}

export function numberFilter(column: Column): FilterSql {
  const target = columnOf(column)
  return (_ctx, term) =>
    each(term, target, 'number', value => {
      const from = sql`${value.from}::numeric`
      const to = sql`${value.to}::numeric`
      if (term.op !== '=') return sql`${target} ${sql.raw(term.op)} ${from}`
      if (value.from === value.to) return sql`${target} = ${from}`
      if (value.to === null) return sql`${target} >= ${from}`
      return value.from === null ? sql`${target} <= ${to}` : sql`${target} between ${from} and ${to}`
    })
}

/**
 * For columns that hold one of the filter's values.
 * @param stored what the column holds for a value, where it is not the value itself
 */
export function choiceFilter(column: Column, stored?: Readonly<Record<string, string | number>>): FilterSql {
  const target = columnOf(column)
  return (_ctx, term) => oneOf(term, target, 'choice', value => sql`${stored ? stored[value.value] : value.value}`)
}

/** The text contains the value, without case. */
export function textFilter(column: Column): FilterSql {
  const target = columnOf(column)
  return (_ctx, term) => each(term, target, 'text', value => containsText(target, value.text))
}

/** True where the target contains the text, in any case and any of the forms in which people type it. */
export function containsText(target: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  // Stored text is byte-exact: a user who types half-width may look for either form.
  const forms = new Set([text, text.normalize('NFKC'), text.normalize('NFD')])
  return anyOf([...forms].map(form => sql<boolean>`${target} ilike ${contains(form)}::text`))
}

/** The name is the value; NFKC, without case. */
export function nameFilter(column: Column): FilterSql {
  const target = columnOf(column)
  const comparable = sql`lower(normalize(${target}, NFKC))`
  return (_ctx, term) =>
    oneOf(term, target, 'name', value => sql`lower(${value.text.normalize('NFKC')}::text)`, comparable)
}

/** For boolean columns; null counts as no. */
export function flagFilter(column: Column): FilterSql {
  const target = columnOf(column)
  return (_ctx, term) =>
    each(term, target, 'flag', value => (value.value ? sql`${target} is true` : sql`${target} is not true`))
}

/** For columns with the id of another item of the same owner. */
export function itemRefFilter(column: Column): FilterSql {
  const target = columnOf(column)
  return ({ ctx }, term) => each(term, target, 'ref', value => isItem(ctx, target, value))
}

/** True where `id` is the item that a reference names, among those that the caller may see. */
export function isItem(ctx: ReadContext, id: RawBuilder<unknown>, ref: ItemRefValue): RawBuilder<boolean> {
  const inProject = sql`and exists (
    select 1 from projects.projects rp
    where rp.owner_id = r.owner_id and rp.id = r.project_id and rp.key = ${ref.project})`
  return sql`exists (
    select 1 from items.items r
    where r.owner_id = i.owner_id and r.id = ${id} and r.number = ${ref.number} and ${visible(ctx, 'r')} and ${ownerMeant(ctx, 'r', ref)}
      ${ref.project === null ? sql`` : inProject})`
}

/** Keeps the items of the owner that a reference means: the caller, unless they have none that it could mean. */
export function ownerMeant(
  ctx: ReadContext,
  alias: string,
  { project, owner, number }: ItemRefValue,
): RawBuilder<boolean> {
  const column = sql.ref(`${alias}.owner_id`)
  const me = ctx.actor.userId
  if (owner !== null) return isOwnedBy(column, owner)
  if (access(ctx).shared.length === 0) return sql<boolean>`true`
  if (project !== null) return keyIsOwn(ctx, project) ? sql<boolean>`${column} = ${me}` : sql<boolean>`true`
  return sql<boolean>`(${column} = ${me} or not exists (select from items.items o where o.owner_id = ${me} and o.number = ${number}))`
}

/** Whether a column names the user of an address. */
export function isOwnedBy(column: RawBuilder<unknown>, email: string): RawBuilder<boolean> {
  return sql<boolean>`${column} = (select u.id from core.users u where u.email = ${email})`
}

function dayCondition(
  term: FilterTerm,
  target: RawBuilder<unknown>,
  bound: (day: string) => RawBuilder<unknown>,
): RawBuilder<boolean> {
  return each(term, target, 'date', ({ from, to }) => {
    const since = from === null ? null : sql<boolean>`${target} >= ${bound(from)}`
    const before = to === null ? null : sql<boolean>`${target} < ${bound(to)}`
    switch (term.op) {
      case '=':
        return allOf([since, before].filter(end => end !== null))
      case '<':
        return sql`${target} < ${bound(from!)}`
      case '<=':
        return before!
      case '>':
        return sql`${target} >= ${bound(to!)}`
      case '>=':
        return since!
    }
  })
}

/** Any of the values, each by its own condition. */
function each<K extends FilterValue['kind']>(
  term: FilterTerm,
  target: RawBuilder<unknown>,
  kind: K,
  condition: (value: Of<K>) => RawBuilder<boolean>,
): RawBuilder<boolean> {
  return anyOf(
    term.values.map(value => {
      if (value.kind === 'none') return sql<boolean>`${target} is null`
      if (value.kind === 'any') return sql<boolean>`${target} is not null`
      if (value.kind === kind) return condition(value as Of<K>)
      throw new TypeError(`The filter "${term.key}" got a ${value.kind} where its SQL expects a ${kind}`)
    }),
  )
}

/** Any of the values, as one IN list. */
function oneOf<K extends FilterValue['kind']>(
  term: FilterTerm,
  target: RawBuilder<unknown>,
  kind: K,
  operand: (value: Of<K>) => RawBuilder<unknown>,
  comparable = target,
): RawBuilder<boolean> {
  const plain = term.values.filter((value): value is Of<K> => value.kind === kind)
  const others = { ...term, values: term.values.filter(value => value.kind !== kind) }
  const list = sql<boolean>`${comparable} in (${sql.join(plain.map(operand))})`
  if (others.values.length === 0) return list
  const rest = each(others, target, kind, () => list)
  return plain.length === 0 ? rest : anyOf([list, rest])
}
