import type { Random } from '../random.ts'
import {
  AREAS,
  CUSTOMERS,
  DATES,
  ESTIMATES,
  KINDS,
  LABELS,
  PRIORITIES,
  PROJECTS,
  SPRINTS,
  STATES,
  VERSIONS,
  WORDS,
} from './world.ts'

/** An item as `items_get` returns it, with what the lists of its records have. */
export interface KnownItem {
  // oxlint-disable-next-line typescript/no-explicit-any -- the fields of any item
  readonly [field: string]: any
  readonly relates: readonly string[]
  readonly steps: number
  readonly comments: number
  readonly reminders: number
}

/** A filter in the query language, and what it means. */
export interface Filter {
  readonly q: string
  readonly matches: (item: KnownItem) => boolean
}

type Scalar = string | number | null

/** Makes a random filter. @param items all items, by the references that were used for them */
export function randomFilter(random: Random, items: ReadonlyMap<string, KnownItem>, today: string, depth = 3): Filter {
  const { pick, below } = random
  const form = depth === 0 ? 0 : below(5)
  if (form < 2) return pick(simpleFilters(random, items, today))()
  const a = randomFilter(random, items, today, depth - 1)
  if (form === 2) return { q: `-(${a.q})`, matches: item => !a.matches(item) }
  const b = randomFilter(random, items, today, depth - 1)
  return form === 3
    ? { q: `(${a.q}) OR (${b.q})`, matches: item => a.matches(item) || b.matches(item) }
    : { q: `(${a.q}) (${b.q})`, matches: item => a.matches(item) && b.matches(item) }
}

function simpleFilters({ pick }: Random, items: ReadonlyMap<string, KnownItem>, today: string): (() => Filter)[] {
  const folded = (text: string): string => text.normalize('NFKC').toLowerCase()
  const quoted = (text: string): string => (/[^\w./]/.test(text) ? `"${text}"` : text)
  const filter = (q: string, matches: Filter['matches']): Filter => ({ q, matches })
  /** Filters by a value that has an order. @param written how the query writes a value */
  const ordered =
    <T extends Scalar>(
      key: string,
      valueOf: (item: KnownItem) => T | null,
      values: readonly T[],
      written: (value: T) => string = String,
    ) =>
    (): Filter => {
      const [low, high] = [pick(values), pick(values)]
      const [a, b] = [written(low), written(high)]
      const has = (compare: (value: NonNullable<T>) => boolean) => (item: KnownItem) => {
        const value = valueOf(item)
        return value !== null && compare(value)
      }
      return pick([
        filter(
          `${key}:${a}`,
          has(value => value === low),
        ),
        filter(`${key}:!=${a}`, item => valueOf(item) !== low),
        filter(
          `${key}:${a},${b}`,
          has(value => value === low || value === high),
        ),
        filter(`${key}:!=${a},${b}`, item => valueOf(item) !== low && valueOf(item) !== high),
        filter(
          `${key}:<${a}`,
          has(value => value < low!),
        ),
        filter(
          `${key}:<=${a}`,
          has(value => value <= low!),
        ),
        filter(
          `${key}:>${a}`,
          has(value => value > low!),
        ),
        filter(
          `${key}:>=${a}`,
          has(value => value >= low!),
        ),
        filter(
          `${key}:${a}..${b}`,
          has(value => value >= low! && value <= high!),
        ),
        filter(`${key}:none`, item => valueOf(item) === null),
        filter(`${key}:any`, item => valueOf(item) !== null),
      ])
    }
  /** Filters by names, of which an item may have none or several. */
  const named =
    (key: string, namesOf: (item: KnownItem) => readonly string[], names: readonly string[], nullable = true) =>
    (): Filter => {
      const name = pick(names)
      const has = (item: KnownItem): boolean => namesOf(item).some(each => folded(each) === folded(name))
      return pick([
        filter(`${key}:${quoted(name)}`, has),
        filter(`${key}:!=${quoted(name)}`, item => !has(item)),
        ...(nullable
          ? [
              filter(`${key}:none`, item => namesOf(item).length === 0),
              filter(`${key}:any`, item => namesOf(item).length > 0),
            ]
          : []),
      ])
    }
  /** A name of a tree means everything below it too; a name without a path may be on any level. */
  const pathNames = (path: string | null | undefined): string[] =>
    path ? path.split('/').flatMap((name, n, names) => [name, names.slice(0, n + 1).join('/')]) : []
  const found = (ref: string): string | undefined => items.get(ref)?.['ref']
  const contains = (text: string | undefined, part: string): boolean => folded(text ?? '').includes(folded(part))
  const schedule = (item: KnownItem): string =>
    item['due_date'] || item['start_date']
      ? 'dated'
      : (item['labels'] ?? []).some((label: string) => folded(label) === 'someday')
        ? 'someday'
        : 'anytime'
  const isOverdue = (item: KnownItem): boolean =>
    item['type'] === 'task' && item['system_status'] === 'open' && item['due_date'] < today
  const has: Readonly<Record<string, (item: KnownItem) => unknown>> = {
    due: item => item['due_date'],
    start: item => item['start_date'],
    parent: item => item['parent_ref'],
    detail: item => item['detail'],
    area: item => item['area_path'],
    sprint: item => item['sprint_path'],
    version: item => item['version_name'],
    estimate: item => item['estimate'],
    label: item => item['labels']?.length,
    custom_field: item => item['custom_fields']?.length,
    custom_number: item => item['custom_numbers']?.length,
    checklist: item => item.steps,
    discussion: item => item.comments,
    reminder: item => item.reminders,
    relation: item => item.relates.length,
  }
  return [
    () => pick(['open', 'closed'].map(each => filter(`is:${each}`, item => item['system_status'] === each))),
    () => filter('is:overdue', isOverdue),
    ordered('due', item => item['due_date'] ?? null, DATES),
    ordered('start', item => item['start_date'] ?? null, DATES),
    ordered('estimate', item => (item['estimate'] ? Number(item['estimate']) : null), ESTIMATES.map(Number)),
    ordered(
      'priority',
      item => (item['priority'] ? PRIORITIES.indexOf(item['priority']) : null),
      [...PRIORITIES.keys()],
      rank => PRIORITIES[rank]!,
    ),
    named('kind', item => [item['agile_kind']], KINDS),
    named('state', item => [item['status']], STATES, false),
    named('project', item => [item['project_key']], PROJECTS, false),
    named('category', item => [item['state'].category], ['todo', 'in_progress', 'review', 'done'], false),
    named('label', item => item['labels'] ?? [], LABELS),
    named('version', item => [item['version_name'] ?? []].flat(), VERSIONS),
    named('area', item => pathNames(item['area_path']), AREAS),
    named('sprint', item => pathNames(item['sprint_path']), SPRINTS),
    named('schedule', item => [schedule(item)], ['dated', 'anytime', 'someday'], false),
    () => {
      const ref = pick([...items.keys()])
      return pick([
        filter(`parent:${ref}`, item => item['parent_ref'] === found(ref)),
        filter(`relates:${ref}`, item => item.relates.includes(found(ref)!)),
        filter(`ref:${ref}`, item => item['ref'] === found(ref)),
      ])
    },
    () => {
      const word = pick(WORDS)
      return pick(['title', 'detail'].map(key => filter(`${key}:"${word}"`, item => contains(item[key], word))))
    },
    () => {
      const name = pick(CUSTOMERS)
      const values = (item: KnownItem): { value: string }[] => item['custom_fields'] ?? []
      return filter(`cf.customer:"${name}"`, item => values(item).some(({ value }) => contains(value, name)))
    },
    () => {
      const [name, value] = pick(Object.entries(has))
      return pick([filter(`has:${name}`, item => Boolean(value(item))), filter(`no:${name}`, item => !value(item))])
    },
  ]
}
