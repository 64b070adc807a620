import { sql, type RawBuilder } from 'tasuki/plugin'
import { access, readKey } from '../../projects/index.ts'
import {
  anyOf,
  choiceFilter,
  dateFilter,
  isOwnedBy,
  itemRefFilter,
  nameFilter,
  numberFilter,
  ownerMeant,
  textFilter,
  timestampFilter,
} from './filter-sql.ts'
import type { FilterContext, FilterTerm, ItemFilter, ItemFlag } from './filter.ts'

/** What other plugins add to the keys `is`, `has`, `no` and `schedule`. */
export interface ContributedFlags {
  /** `is:<value>` */
  readonly is?: readonly ItemFlag[]
  /** `has:<value>` and `no:<value>` */
  readonly has?: readonly ItemFlag[]
  /** When an undated item is put off until someday; without it `schedule:someday` does not exist. */
  readonly someday?: (ctx: FilterContext) => RawBuilder<boolean>
}

const PRIORITIES = { low: 4, normal: 3, high: 2, urgent: 1 }

const IS: readonly ItemFlag[] = [
  { value: 'open', summary: 'not completed', sql: () => sql`i.completed_at is null` },
  { value: 'closed', summary: 'completed', sql: () => sql`i.completed_at is not null` },
  { value: 'archived', summary: 'archived', sql: () => sql`i.archived_at is not null` },
  { value: 'overdue', summary: 'open task past its due date and time', sql: overdue },
]

const HAS: readonly ItemFlag[] = [
  { value: 'due', summary: 'due date', sql: () => sql`i.due_date is not null` },
  { value: 'start', summary: 'start date', sql: () => sql`i.start_date is not null` },
  { value: 'parent', summary: 'parent item', sql: () => sql`i.parent_id is not null` },
  { value: 'detail', summary: 'text in the body', sql: () => sql`i.detail <> ''` },
]

/** The filters that every item has, whatever plugins are on. */
export function itemFilters(contributed: ContributedFlags = {}): readonly ItemFilter[] {
  const has = [...HAS, ...(contributed.has ?? [])]
  return [
    flags('is', [...IS, ...(contributed.is ?? [])], 'state of the item', 'is:open'),
    choice('type', 'i.type', ['task', 'note', 'event', 'task_template'], 'record type'),
    {
      key: 'kind',
      type: 'name',
      nullable: true,
      summary: 'epic story task bug chore or custom',
      example: 'kind:bug',
      sql: nameFilter('i.kind'),
    },
    {
      key: 'state',
      type: 'name',
      summary: 'workflow state name',
      example: 'state:"In review"',
      sql: nameFilter('s.name'),
    },
    choice('category', 's.category', ['todo', 'in_progress', 'review', 'done'], 'category of the state'),
    { key: 'project', type: 'name', summary: 'project key or name', example: 'project:APP,INBOX', sql: project },
    {
      key: 'owner',
      type: 'name',
      symbols: ['@me'],
      summary: 'e-mail of the owner, for shared projects',
      example: 'owner:@me',
      sql: owner,
    },
    {
      key: 'priority',
      type: 'choice',
      values: Object.keys(PRIORITIES),
      ordered: true,
      nullable: true,
      summary: 'from least to most',
      example: 'priority:>=high',
      sql: choiceFilter('i.priority', PRIORITIES),
    },
    {
      key: 'due',
      type: 'date',
      nullable: true,
      summary: 'due date',
      example: 'due:<=+7d',
      sql: dateFilter('i.due_date'),
    },
    {
      key: 'start',
      type: 'date',
      nullable: true,
      summary: 'start date',
      example: 'start:today..',
      sql: dateFilter('i.start_date'),
    },
    instant('created', 'i.created_at', 'created', 'created:>=-7d'),
    instant('updated', 'i.updated_at', 'last changed', 'updated:thisweek'),
    { ...instant('completed', 'i.completed_at', 'completed', 'completed:lastweek'), nullable: true },
    instant('activity', 'i.last_activity_at', 'last activity of a person', 'activity:<-30d'),
    {
      key: 'parent',
      type: 'ref',
      nullable: true,
      summary: 'direct parent',
      example: 'parent:APP#12',
      sql: itemRefFilter('i.parent_id'),
    },
    { key: 'ref', type: 'ref', summary: 'the item itself', example: 'ref:#1,#2', sql: itself },
    { key: 'number', type: 'number', summary: 'item number', example: 'number:1..99', sql: numberFilter('i.number') },
    {
      key: 'title',
      type: 'text',
      summary: 'title contains',
      example: 'title:"release notes"',
      sql: textFilter('i.title'),
    },
    { key: 'detail', type: 'text', summary: 'body contains', example: 'detail:TODO', sql: textFilter('i.detail') },
    schedule(contributed.someday),
    flags('has', has, 'set on the item', 'has:due'),
    flags('no', has.map(negate), 'not set on the item', 'no:parent'),
  ]
}

function choice(key: string, column: string, values: readonly string[], summary: string): ItemFilter {
  return { key, type: 'choice', values, summary, example: `${key}:${values[0]}`, sql: choiceFilter(column) }
}

function instant(key: string, column: string, summary: string, example: string): ItemFilter {
  return { key, type: 'date', summary, example, sql: timestampFilter(column) }
}

function flags(key: string, list: readonly ItemFlag[], summary: string, example: string): ItemFilter {
  const byValue = new Map(list.map(flag => [flag.value, flag]))
  return {
    key,
    type: 'choice',
    values: [...byValue.keys()],
    summary,
    example,
    sql: (ctx, term) => anyOf(choices(term).map(value => byValue.get(value)!.sql(ctx))),
  }
}

function negate(flag: ItemFlag): ItemFlag {
  return { ...flag, sql: ctx => sql`(${flag.sql(ctx)}) is not true` }
}

function schedule(someday: ContributedFlags['someday']): ItemFilter {
  const dated = sql<boolean>`(i.due_date is not null or i.start_date is not null)`
  const list: ItemFlag[] = [
    { value: 'dated', summary: 'has a due or start date', sql: () => dated },
    {
      value: 'anytime',
      summary: 'neither',
      sql: ctx => (someday ? sql`not ${dated} and (${someday(ctx)}) is not true` : sql`not ${dated}`),
    },
  ]
  if (someday) list.push({ value: 'someday', summary: 'put off', sql: ctx => sql`not ${dated} and (${someday(ctx)})` })
  return flags('schedule', list, 'dated = has due or start', 'schedule:anytime')
}

function choices(term: FilterTerm): string[] {
  return term.values.flatMap(value => (value.kind === 'choice' ? value.value : []))
}

/** Matches the key or the name; the caller's own projects first, and `owner@example.com/KEY` exactly. */
function project(filter: FilterContext, term: FilterTerm): RawBuilder<boolean> {
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
        select from projects.projects o where o.owner_id = ${me} and ${isNamed([value], 'o')})))`
    }),
  )
}

function isOfOwner(
  value: FilterTerm['values'][number],
): value is Extract<FilterTerm['values'][number], { kind: 'name' }> {
  return value.kind === 'name' && /@.*\//.test(value.text)
}

function owner({ ctx }: FilterContext, term: FilterTerm): RawBuilder<boolean> {
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

function itself({ ctx }: FilterContext, term: FilterTerm): RawBuilder<boolean> {
  const refs = term.values.filter(value => value.kind === 'ref')
  return anyOf(
    refs.map(ref => {
      const inProject = ref.project === null ? sql`` : sql`and p.key = ${ref.project}`
      return sql<boolean>`(i.number = ${ref.number} ${inProject} and ${ownerMeant(ctx, 'i', ref)})`
    }),
  )
}

/** An item without a due time is overdue from the next day on. */
function overdue({ today, timeZone, now }: FilterContext): RawBuilder<boolean> {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return sql`(i.type = 'task' and i.completed_at is null and (i.due_date < ${today}::date
    or (i.due_date = ${today}::date and i.due_time < ${clock.format(now)}::text)))`
}
