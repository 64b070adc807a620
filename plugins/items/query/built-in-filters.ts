import { contributedSql, type Condition } from 'tasuki/plugin'
import {
  anyOf,
  choiceFilter,
  dateFilter,
  hasDetail,
  hasParent,
  isAnytime,
  isDated,
  isOneOf,
  isOverdue,
  isSet,
  isSomeday,
  isUnset,
  itemRefFilter,
  nameFilter,
  not,
  numberFilter,
  textFilter,
  timestampFilter,
} from './filter.repository.ts'
import { isInProject, isOfOwners, stateFilter } from './lookup-filter.repository.ts'
import type { FilterContext, FilterTerm, ItemFilter, ItemFlag } from './filter.ts'

/** Values that other plugins add to the keys `is`, `has`, `no` and `schedule`. */
export interface ContributedFlags {
  /** `is:<value>` */
  readonly is?: readonly ItemFlag[]
  /** `has:<value>` and `no:<value>` */
  readonly has?: readonly ItemFlag[]
  /** Condition for undated items that are deferred to someday; without it `schedule:someday` does not exist. */
  readonly someday?: (ctx: FilterContext) => Condition
}

const PRIORITIES = { low: 4, normal: 3, high: 2, urgent: 1 }

export const IS: readonly ItemFlag[] = [
  { value: 'open', summary: 'not completed', sql: () => isUnset('completed_at') },
  { value: 'closed', summary: 'completed', sql: () => isSet('completed_at') },
  { value: 'archived', summary: 'archived', sql: () => isSet('archived_at') },
  { value: 'overdue', summary: 'open task past its due date and time', sql: isOverdue },
]

export const HAS: readonly ItemFlag[] = [
  { value: 'due', summary: 'due date', sql: () => isSet('due_date') },
  { value: 'start', summary: 'start date', sql: () => isSet('start_date') },
  { value: 'parent', summary: 'parent item', sql: ({ ctx }) => hasParent(ctx) },
  { value: 'detail', summary: 'text in the body', sql: () => hasDetail },
]

/** Returns the filters that do not depend on other plugins. */
export function builtInFilters(contributed: ContributedFlags = {}): readonly ItemFilter[] {
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
      sql: stateFilter(nameFilter('n.name')),
    },
    {
      key: 'category',
      type: 'choice',
      values: ['todo', 'in_progress', 'review', 'done'],
      summary: 'category of the state',
      example: 'category:todo',
      sql: stateFilter(choiceFilter('n.category')),
    },
    { key: 'project', type: 'name', summary: 'project key or name', example: 'project:APP,INBOX', sql: isInProject },
    {
      key: 'owner',
      type: 'name',
      symbols: ['@me'],
      summary: 'e-mail of the owner, for shared projects',
      example: 'owner:@me',
      sql: isOfOwners,
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
    day('due', 'i.due_date', 'due date', 'due:<=+7d'),
    day('start', 'i.start_date', 'start date', 'start:today..'),
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
    { key: 'ref', type: 'ref', summary: 'the item itself', example: 'ref:#1,#2', sql: isOneOf },
    { key: 'number', type: 'number', summary: 'item number', example: 'number:1..99', sql: numberFilter('i.number') },
    text('title', 'i.title', 'title contains', 'title:"release notes"'),
    text('detail', 'i.detail', 'body contains', 'detail:TODO'),
    schedule(contributed.someday),
    flags('has', has, 'set on the item', 'has:due'),
    flags('no', has.map(negate), 'not set on the item', 'no:parent'),
  ]
}

function choice(key: string, column: string, values: readonly string[], summary: string): ItemFilter {
  return { key, type: 'choice', values, summary, example: `${key}:${values[0]}`, sql: choiceFilter(column) }
}

function day(key: string, column: string, summary: string, example: string): ItemFilter {
  return { key, type: 'date', nullable: true, summary, example, sql: dateFilter(column) }
}

function text(key: string, column: string, summary: string, example: string): ItemFilter {
  return { key, type: 'text', summary, example, sql: textFilter(column) }
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
    sql: (ctx, term) => anyOf(choices(term).map(value => flagSql(byValue.get(value)!, ctx))),
  }
}

const flagSql = (flag: ItemFlag, ctx: FilterContext) => contributedSql(flag, () => flag.sql(ctx))
const negate = (flag: ItemFlag): ItemFlag => ({ ...flag, sql: ctx => not(flagSql(flag, ctx)) })

function schedule(someday: ContributedFlags['someday']): ItemFilter {
  const list: ItemFlag[] = [
    { value: 'dated', summary: 'has a due or start date', sql: () => isDated },
    { value: 'anytime', summary: 'neither', sql: ctx => isAnytime(someday?.(ctx)) },
  ]
  if (someday) list.push({ value: 'someday', summary: 'put off', sql: ctx => isSomeday(someday(ctx)) })
  return flags('schedule', list, 'dated = has due or start', 'schedule:anytime')
}

function choices(term: FilterTerm): string[] {
  return term.values.flatMap(value => (value.kind === 'choice' ? value.value : []))
}
