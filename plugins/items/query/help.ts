import { DATE_FORMS } from './dates.ts'
import { filterOps, type FilterType, type ItemFilter } from './filter.ts'
import { GRAMMAR, QUERY_MAX_LENGTH, QUERY_MAX_NESTING } from './parse.ts'

const SHORT_MAX_LENGTH = 600

/** One field of the reference. Its operators are listed only if they differ from those of its type. */
export interface FieldHelp extends Pick<ItemFilter, 'key' | 'type' | 'example' | 'summary'> {
  readonly ops?: string
  readonly values?: readonly string[]
}

/** Builds the machine-readable syntax reference from the registered filters. */
export function searchHelp(filters: readonly ItemFilter[]) {
  const fields = filters.map(fieldHelp)
  const nullable = filters.filter(filter => filter.nullable === true).map(formatKey)
  const symbols = new Set(filters.flatMap(filter => filter.symbols ?? []))
  const meaning = { '@me': 'the caller', '@active': 'the active sprint', '@next': 'the next planned sprint' }
  return {
    version: 1,
    grammar: GRAMMAR,
    rules: [
      'Keys and values ignore case; names, not ids.',
      'a,b means any of; with != none of. .. includes both ends; either may be left out.',
      'Words are full-text search; where only filters are read they are ignored.',
    ],
    ops: Object.fromEntries([...new Set(filters.map(filter => filter.type))].map(type => [type, defaultOps(type)])),
    fields,
    relative_dates: DATE_FORMS,
    special_values: {
      'none, any': `not set, set: ${nullable.join(' ')}`,
      ...Object.fromEntries([...symbols].map(symbol => [symbol, meaning[symbol]])),
    },
    examples: examples(filters),
    limits: { characters: QUERY_MAX_LENGTH, nesting: QUERY_MAX_NESTING },
  }
}

/** Formats the syntax reference in at most 600 characters, for errors. */
export function shortReference(filters: readonly ItemFilter[]): string {
  const end =
    'Also key:a,b  key:>=x  key:x..y  key:none  NOT or -  OR  ( )  "phrase". Dates: 2026-01-31 today +7d mon thisweek.'
  const keys = filters.map(formatKey)
  let shown = keys.length
  const render = (): string => `Keys: ${keys.slice(0, shown).join(' ')}${shown < keys.length ? ' …' : ''}. ${end}`
  while (render().length > SHORT_MAX_LENGTH && shown > 0) shown--
  return render()
}

function fieldHelp(filter: ItemFilter): FieldHelp {
  const ops = filterOps(filter).join(' ')
  return {
    key: formatKey(filter),
    type: filter.type,
    ...(ops !== defaultOps(filter.type) && { ops }),
    ...(filter.values && typeof filter.values !== 'function' && { values: filter.values }),
    example: filter.example,
    summary: filter.summary,
  }
}

function formatKey(filter: ItemFilter): string {
  return filter.family === true ? `${filter.key}.<name>` : filter.key
}

function defaultOps(type: FilterType): string {
  return filterOps({ type, key: '', summary: '', example: '', sql: noSql }).join(' ')
}

function noSql(): never {
  throw new TypeError('This filter is a sample for its operators only')
}

/** Returns example queries whose keys are all registered. */
function examples(filters: readonly ItemFilter[]): readonly string[] {
  const keys = new Set(filters.map(filter => filter.key))
  const queries: readonly (readonly [query: string, ...keys: string[]])[] = [
    ['is:open due:<=+7d -label:waiting', 'is', 'due', 'label'],
    ['project:APP (priority:>=high OR due:today)', 'project', 'priority', 'due'],
    ['sprint:@active estimate:none', 'sprint', 'estimate'],
    ['updated:lastweek "design review"', 'updated'],
  ]
  return queries.filter(([, ...needed]) => needed.every(key => keys.has(key))).map(([query]) => query)
}
