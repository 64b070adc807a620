import { anyOf as orOf, contains, negate, noSql, sql, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { access, keyIsOwn, readKey, visible } from '../../projects/index.ts'
import { fromOther, seenId } from '../other-item.repository.ts'
import type { FilterContext, FilterTerm, FilterValue, ItemFilter, ItemRefValue } from './filter.ts'

/** A column with its alias (`i.due_date`), or any SQL expression. */
export type Column = string | RawBuilder<unknown>
type FilterSql = ItemFilter['sql']
type Of<K extends FilterValue['kind']> = Extract<FilterValue, { readonly kind: K }>

function columnOf(column: Column): RawBuilder<unknown> {
  return typeof column === 'string' ? sql.ref(column) : column
}

export function anyOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 1 ? conditions[0]! : orOf(conditions)
}

export function allOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 1 ? conditions[0]! : sql`(${sql.join(conditions, sql.raw(' and '))})`
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
      const compare = (op: string, bound: number | null): RawBuilder<boolean> =>
        sql`${target} ${sql.raw(op)} ${bound}::numeric`
      if (term.op !== '=') return compare(term.op, value.from)
      if (value.from === value.to) return compare('=', value.from)
      if (value.to === null) return compare('>=', value.from)
      if (value.from === null) return compare('<=', value.to)
      return sql`${target} between ${value.from}::numeric and ${value.to}::numeric`
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
  return anyOf([...forms].map(form => sql<boolean>`${target} ${likeIn(form)} ${contains(form)}::text`))
}

/** To ignore the case of text that has none takes many times as long. */
function likeIn(text: string): RawBuilder<unknown> {
  return sql.raw(text.toLowerCase() === text.toUpperCase() ? 'like' : 'ilike')
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
    each(term, target, 'flag', value => sql`${target} ${sql.raw(value.value ? 'is true' : 'is not true')}`)
}

/** Conditions of `any` and `none` among the values of a filter. @param isSet the item has a value */
export function presence(values: readonly FilterValue[], isSet: RawBuilder<boolean>): RawBuilder<boolean>[] {
  return values.flatMap(({ kind }) => (kind === 'any' ? [isSet] : kind === 'none' ? [negate(isSet)] : []))
}

/** For columns with the id of another item of the same owner, which is none where the caller may not see it. */
export function itemRefFilter(column: Column): FilterSql {
  const target = columnOf(column)
  return ({ ctx }, term) => each(term, seenId(ctx, target), 'ref', value => isItem(ctx, target, value))
}

/** The item has a parent that the caller may see. */
export function hasParent(ctx: ReadContext): RawBuilder<boolean> {
  return sql`${seenId(ctx, sql.ref('i.parent_id'))} is not null`
}

/** True where `id` is the item that a reference names, among those that the caller may see. */
export function isItem(ctx: ReadContext, id: RawBuilder<unknown>, ref: ItemRefValue): RawBuilder<boolean> {
  return sql`exists (select ${fromOther(ctx, 'i.owner_id', sql`o.id = ${id} and ${isMeant(ctx, 'o', 'op', ref)}`)})`
}

/** The item of an alias is the one that a reference means. @param project alias of its project */
export function isMeant(ctx: ReadContext, item: string, project: string, ref: ItemRefValue): RawBuilder<boolean> {
  const key = ref.project === null ? noSql : sql`${sql.ref(`${project}.key`)} = ${ref.project} and`
  return sql`(${sql.ref(`${item}.number`)} = ${ref.number} and ${key} ${ownerMeant(ctx, item, ref)})`
}

/** Keeps the items of the owner that a reference means: the caller, unless they have none that it could mean. */
function ownerMeant(ctx: ReadContext, alias: string, { project, owner, number }: ItemRefValue): RawBuilder<boolean> {
  const column = sql.ref(`${alias}.owner_id`)
  const me = ctx.actor.userId
  if (owner !== null) return isOwnedBy(column, owner)
  if (access(ctx).shared.length === 0) return sql.lit(true)
  if (project !== null) return keyIsOwn(ctx, project) ? sql`${column} = ${me}` : sql.lit(true)
  return sql`(${column} = ${me} or not exists (
    select from items.items own where own.owner_id = ${me} and own.number = ${number} and ${visible(ctx, 'own')}))`
}

/** Whether a column names the user of an address. */
function isOwnedBy(column: RawBuilder<unknown>, email: string): RawBuilder<boolean> {
  return sql`${column} = (select u.id from core.users u where u.email = ${email})`
}

function dayCondition(
  term: FilterTerm,
  target: RawBuilder<unknown>,
  bound: (day: string) => RawBuilder<unknown>,
): RawBuilder<boolean> {
  const compare = (op: '<' | '>=', day: string): RawBuilder<boolean> => sql`${target} ${sql.raw(op)} ${bound(day)}`
  return each(term, target, 'date', ({ from, to }) => {
    switch (term.op) {
      case '=':
        return allOf([...(from === null ? [] : [compare('>=', from)]), ...(to === null ? [] : [compare('<', to)])])
      case '<':
        return compare('<', from!)
      case '<=':
        return compare('<', to!)
      case '>':
        return compare('>=', to!)
      case '>=':
        return compare('>=', from!)
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
      if (value.kind === 'none' || value.kind === 'any')
        return sql<boolean>`${target} ${sql.raw(value.kind === 'none' ? 'is null' : 'is not null')}`
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

/** A condition that is not met where its value is not set: null counts as false. */
export function not(condition: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql`(${condition}) is not true`
}

/** The column of an item `i` is set, or is not. */
export function isSet(
  column: 'completed_at' | 'archived_at' | 'due_date' | 'start_date',
  set = true,
): RawBuilder<boolean> {
  return sql.raw(`i.${column} is ${set ? 'not null' : 'null'}`)
}

/** The item has a body. */
export const hasDetail: RawBuilder<boolean> = sql.raw(`i.detail <> ''`)

/** The item has a due or start date. */
export const isDated: RawBuilder<boolean> = sql.raw('(i.due_date is not null or i.start_date is not null)')
const isUndated: RawBuilder<boolean> = sql.raw('not (i.due_date is not null or i.start_date is not null)')

/** The item has no date and is not put off. @param someday when an undated item is put off; without it none is */
export function isAnytime(someday: RawBuilder<boolean> | undefined): RawBuilder<boolean> {
  return someday ? sql`${isUndated} and ${not(someday)}` : isUndated
}

/** The item has no date and is put off. */
export function isPutOff(someday: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql`${isUndated} and (${someday})`
}

/** The title or the body contains the text. */
export function hasText(text: string): RawBuilder<boolean> {
  return anyOf(['i.title', 'i.detail'].map(column => containsText(sql.ref(column), text)))
}

/** Matches the key or the name; the caller's own projects first, and `owner@example.com/KEY` exactly. */
export function isInProject(filter: FilterContext, term: FilterTerm): RawBuilder<boolean> {
  const isNamed = (values: FilterTerm['values'], alias: string): RawBuilder<boolean> =>
    anyOf(['key', 'name'].map(column => nameFilter(`${alias}.${column}`)(filter, { ...term, values })))
  const { ctx } = filter
  if (access(ctx).shared.length === 0 && !term.values.some(isOfOwner)) return isNamed(term.values, 'p')
  const me = ctx.actor.userId
  return anyOf(
    term.values.map(value => {
      if (isOfOwner(value)) {
        const { key, owner: email } = readKey(value.text)
        return sql<boolean>`(p.key = ${key} and ${isOwnedBy(sql`p.owner_id`, email!)})`
      }
      return sql<boolean>`(${isNamed([value], 'p')} and (p.owner_id = ${me} or not exists (
        select from projects.projects o where o.owner_id = ${me} and ${isNamed([value], 'o')} and ${visible(ctx, 'o', 'id')})))`
    }),
  )
}

function isOfOwner(
  value: FilterTerm['values'][number],
): value is Extract<FilterTerm['values'][number], { kind: 'name' }> {
  return value.kind === 'name' && /@.*\//.test(value.text)
}

/** The owner is the caller, or one of the addresses. */
export function isOfOwners({ ctx }: FilterContext, term: FilterTerm): RawBuilder<boolean> {
  const mine = term.values.some(({ kind }) => kind === 'symbol')
  const emails = term.values.flatMap(value =>
    value.kind === 'name' ? [value.text.normalize('NFKC').toLowerCase()] : [],
  )
  const conditions = mine ? [sql<boolean>`i.owner_id = ${ctx.actor.userId}`] : []
  if (emails.length > 0) {
    conditions.push(sql`i.owner_id in (select u.id from core.users u where u.email in (${sql.join(emails)}))`)
  }
  return anyOf(conditions)
}

/** The item is one of those that references name. */
export function isOneOf({ ctx }: FilterContext, term: FilterTerm): RawBuilder<boolean> {
  const refs = term.values.filter(value => value.kind === 'ref')
  return anyOf(refs.map(ref => isMeant(ctx, 'i', 'p', ref)))
}

/** An item without a due time is overdue from the next day on. */
export function isOverdue({ today, timeZone, now }: FilterContext): RawBuilder<boolean> {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return sql`(i.type = 'task' and i.completed_at is null and (i.due_date < ${today}::date
    or (i.due_date = ${today}::date and i.due_time < ${clock.format(now)}::text)))`
}
