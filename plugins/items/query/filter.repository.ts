import {
  allOf as andOf,
  anyOf as orOf,
  castTo,
  compare,
  contains,
  exists,
  expressions,
  lower,
  negate,
  normalizeText,
  parens,
  sql,
} from 'tasuki/plugin'
import type { Condition, Expression, ReadContext } from 'tasuki/plugin'
import { access, isOwnedBy, keyIsOwn, visible } from '../../projects/index.ts'
import { fromOther, visibleId } from '../other-item.repository.ts'
import { clockIn, dayIn, zoneOfOwner } from './clock.ts'
import type { FilterContext, FilterTerm, FilterValue, ItemFilter, ItemRefValue } from './filter.ts'

/** A column with its alias (`i.due_date`), or any SQL expression. */
export type Column = string | Expression<unknown>
type FilterSql = ItemFilter['sql']
type Of<K extends FilterValue['kind']> = Extract<FilterValue, { readonly kind: K }>

function columnOf(column: Column): Expression<unknown> {
  return typeof column === 'string' ? sql.ref(column) : column
}

export function anyOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 1 ? conditions[0]! : orOf(conditions)
}

export function allOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 1 ? conditions[0]! : andOf(conditions)
}

/** Returns a filter for `date` columns. */
export function dateFilter(column: Column): FilterSql {
  return (_ctx, term) => dayCondition(term, columnOf(column), day => castTo(day, 'date'))
}

/** Returns a filter for `timestamptz` columns: a day is that day in the owner's time zone. */
export function timestampFilter(column: Column): FilterSql {
  return (ctx, term) =>
    dayCondition(term, columnOf(column), day => sql`((${day}::date)::timestamp at time zone ${ctx.timeZone}::text)`)
}

export function numberFilter(column: Column): FilterSql {
  const target = columnOf(column)
  return (_ctx, term) =>
    matchEach(term, target, 'number', value => {
      const bound = (op: FilterTerm['op'], number: number | null): Condition[] =>
        number === null ? [] : [compare(target, op, castTo(number, 'numeric'))]
      if (term.op !== '=' || value.from === value.to) return allOf(bound(term.op, value.from))
      return allOf([...bound('>=', value.from), ...bound('<=', value.to)])
    })
}

/**
 * Returns a filter for columns that hold one of the filter's values.
 * @param stored the column's value for each filter value, if they differ
 */
export function choiceFilter(column: Column, stored?: Readonly<Record<string, string | number>>): FilterSql {
  const target = columnOf(column)
  return (_ctx, term) =>
    matchInList(term, target, 'choice', value => sql.val(stored ? stored[value.value] : value.value))
}

/** Returns a filter for texts that contain the value, case-insensitively. */
export function textFilter(column: Column): FilterSql {
  const target = columnOf(column)
  return (_ctx, term) => matchEach(term, target, 'text', value => containsText(target, value.text))
}

/** Returns the condition that the target contains the text, in any case and any Unicode form in which it may be typed. */
export function containsText(target: Column, text: string): Condition {
  // Stored text keeps its bytes: someone who types half-width may look for either form.
  const forms = new Set([text, text.normalize('NFKC'), text.normalize('NFD')])
  return anyOf([...forms].map(form => compare(target, likeIn(form), castTo(contains(form), 'text'))))
}

/** `ilike` is many times slower, and useless for text without case. */
const likeIn = (text: string): 'like' | 'ilike' => (text.toLowerCase() === text.toUpperCase() ? 'like' : 'ilike')

/** Returns a filter for names that equal the value by NFKC, case-insensitively. */
export function nameFilter(column: Column): FilterSql {
  const target = columnOf(column)
  const comparable = sql`lower(normalize(${target}, NFKC))`
  return (_ctx, term) =>
    matchInList(term, target, 'name', value => lower(castTo(normalizeText(value.text), 'text')), comparable)
}

/** Returns the conditions of `any` and `none` among the values of a filter. @param isSet condition that the item has a value */
export function presenceFilter(values: readonly FilterValue[], isSet: Condition): Condition[] {
  return values.flatMap(({ kind }) => (kind === 'any' ? [isSet] : kind === 'none' ? [negate(isSet)] : []))
}

/** Returns a filter for columns with the id of another item of the same owner; an item that the caller may not see counts as none. */
export function itemRefFilter(column: Column): FilterSql {
  const target = columnOf(column)
  return ({ ctx }, term) => matchEach(term, visibleId(ctx, target), 'ref', value => isItem(ctx, target, value))
}

/** Returns the condition that the item has a parent that the caller may see. */
export function hasParent(ctx: ReadContext): Condition {
  return compare(visibleId(ctx, sql.ref('i.parent_id')), 'is not', null)
}

/** Returns the condition that `id` is the item that a reference names, among the items that the caller may see. */
function isItem(ctx: ReadContext, id: Expression<unknown>, ref: ItemRefValue): Condition {
  return exists(fromOther(ctx, 'i.owner_id', allOf([compare('o.id', '=', id), isReferencedItem(ctx, 'o', 'op', ref)])))
}

/** Returns the condition that the item of an alias is the one that a reference names. @param project alias of its project */
export function isReferencedItem(ctx: ReadContext, item: string, project: string, ref: ItemRefValue): Condition {
  const key =
    ref.project === null
      ? []
      : [orOf([compare(`${project}.key`, '=', ref.project), wasInProject(ctx, item, ref.project)])]
  return allOf([compare(`${item}.number`, '=', ref.number), ...key, isReferencedOwner(ctx, item, ref)])
}

/** Returns the condition that an item was in the project with a key, if the caller may see that project. */
function wasInProject(ctx: ReadContext, item: string, key: string): Condition {
  const projects = expressions<{ i: 'items.items' }>().selectFrom('projects.projects as fp').where('fp.key', '=', key)
  const owned = projects.where('fp.owner_id', '=', sql.ref<string>(`${item}.owner_id`))
  return exists(owned.where(compare(`${item}.former_keys`, '?', key)).where(visible(ctx, 'fp', 'id')))
}

/** Restricts to the owner that a reference names: the caller, unless the caller owns nothing with that reference. */
function isReferencedOwner(ctx: ReadContext, alias: string, { project, owner, number }: ItemRefValue): Condition {
  const column = `${alias}.owner_id`
  const isMine = compare(column, '=', ctx.actor.userId)
  const me = ctx.actor.userId
  if (owner !== null) return isOwnedBy(column, owner)
  if (access(ctx).shared.length === 0) return sql.lit(true)
  if (project !== null) return keyIsOwn(ctx, project) ? isMine : sql.lit(true)
  return sql`(${isMine} or not exists (
    select from items.items own where own.owner_id = ${me} and own.number = ${number} and ${visible(ctx, 'own')}))`
}

function dayCondition(
  term: FilterTerm,
  target: Expression<unknown>,
  instant: (day: string) => Expression<unknown>,
): Condition {
  const bound = (op: '<' | '>=', day: string | null): Condition[] =>
    day === null ? [] : [compare(target, op, instant(day))]
  return matchEach(term, target, 'date', ({ from, to }) => {
    switch (term.op) {
      case '=':
        return allOf([...bound('>=', from), ...bound('<', to)])
      case '<':
        return allOf(bound('<', from))
      case '<=':
        return allOf(bound('<', to))
      case '>':
        return allOf(bound('>=', to))
      case '>=':
        return allOf(bound('>=', from))
    }
  })
}

/** Matches any of the values, each by its own condition. */
function matchEach<K extends FilterValue['kind']>(
  term: FilterTerm,
  target: Expression<unknown>,
  kind: K,
  condition: (value: Of<K>) => Condition,
): Condition {
  return anyOf(
    term.values.map(value => {
      if (value.kind === 'none' || value.kind === 'any')
        return compare(target, value.kind === 'none' ? 'is' : 'is not', null)
      if (value.kind === kind) return condition(value as Of<K>)
      throw new TypeError(`The filter "${term.key}" got a ${value.kind} where its SQL expects a ${kind}`)
    }),
  )
}

/** Matches any of the values by one IN list. */
function matchInList<K extends FilterValue['kind']>(
  term: FilterTerm,
  target: Expression<unknown>,
  kind: K,
  operand: (value: Of<K>) => Expression<unknown>,
  comparable = target,
): Condition {
  const plain = term.values.filter((value): value is Of<K> => value.kind === kind)
  const others = { ...term, values: term.values.filter(value => value.kind !== kind) }
  const list = compare(comparable, 'in', plain.map(operand))
  if (others.values.length === 0) return list
  const rest = matchEach(others, target, kind, () => list)
  return plain.length === 0 ? rest : anyOf([list, rest])
}

/** Negates a condition; null counts as false. */
export function not(condition: Condition): Condition {
  return compare(parens(condition), 'is not', true)
}

type NullableColumn = 'completed_at' | 'archived_at' | 'due_date' | 'start_date'

/** Returns the condition that a column of the item `i` has a value. */
export function isSet(column: NullableColumn): Condition {
  return sql.raw(`i.${column} is not null`)
}

/** Returns the condition that a column of the item `i` has no value. */
export function isUnset(column: NullableColumn): Condition {
  return sql.raw(`i.${column} is null`)
}

/** Condition that the item has a body. */
export const hasDetail: Condition = sql.raw(`i.detail <> ''`)

/** Condition that the item has a due or start date. */
export const isDated: Condition = sql.raw('(i.due_date is not null or i.start_date is not null)')
const isUndated: Condition = sql.raw('not (i.due_date is not null or i.start_date is not null)')

/**
 * Returns the condition that the item has no date and is not deferred.
 * @param someday condition for deferred undated items; without it none is deferred
 */
export function isAnytime(someday: Condition | undefined): Condition {
  return someday ? allOf([isUndated, not(someday)]) : isUndated
}

/** Returns the condition that the item has no date and is deferred. */
export function isSomeday(someday: Condition): Condition {
  return allOf([isUndated, parens(someday)])
}

/** Returns the condition that the title or the body contains the text. */
export function hasText(text: string): Condition {
  return anyOf(['i.title', 'i.detail'].map(column => containsText(column, text)))
}

/** Returns the condition that the item is one of the referenced items. */
export function isOneOf({ ctx }: FilterContext, term: FilterTerm): Condition {
  return anyOf(term.values.filter(value => value.kind === 'ref').map(ref => isReferencedItem(ctx, 'i', 'p', ref)))
}

/** Returns the condition that a task is open and past its due date. */
export function isOverdue({ ctx }: FilterContext): Condition {
  return sql`(i.type = 'task' and i.completed_at is null and ${isPastDue(ctx)})`
}

/** Returns the condition that the due date and time of an item are past where its owner is; without a due time, they are from the next day. */
export function isPastDue(ctx: ReadContext): Condition {
  const owners = [...new Set([ctx.actor.userId, ...access(ctx).shared.map(share => share.ownerId)])]
  const zones = [...Map.groupBy(owners, owner => zoneOfOwner(ctx, owner))]
  return anyOf(
    zones.map(([zone, ids]) => {
      const today = castTo(dayIn(zone, ctx.now), 'date')
      const past = sql<boolean>`(i.due_date < ${today} or (i.due_date = ${today} and i.due_time < ${clockIn(zone, ctx.now)}::text))`
      return zones.length === 1 ? past : andOf([compare('i.owner_id', 'in', ids), past])
    }),
  )
}
