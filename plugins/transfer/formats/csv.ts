import { nameKey } from 'tasuki/worker'
import type { ImportContent, ImportedItem, ImportedParts, ImportFormat } from '../points.ts'
import { columnsFor, FIELDS, GENERIC, type Columns, type Field } from './columns.ts'
import { hasColumns, headerOf, readTable, type TableRow } from './table.ts'
import { readDate, readInstant, readDueTime } from './dates.ts'
import { present } from './json.ts'

/** Positions of the columns by field. */
type Positions = Readonly<Partial<Record<Field, readonly number[]>>>
const NONE: readonly number[] = []

const KEY = /^([A-Za-z][A-Za-z0-9_]{0,15})-(\d{1,9})$/

/** Parses the key of a source as a number of a series. */
export function numberOf(key: string): Pick<ImportedParts, 'numbers'> | undefined {
  const [, prefix, digits] = KEY.exec(key) ?? []
  const number = Number(digits)
  return prefix === undefined || number < 1 ? undefined : { numbers: [{ prefix: prefix.toUpperCase(), number }] }
}

interface TableFormat {
  readonly name: string
  /** Columns that identify the format. */
  readonly has: readonly string[]
  readonly columns: Columns
  /** Splits a cell into labels. */
  splitLabels(cell: string): readonly string[]
  /** The meaning of further columns; the first match is used. */
  readonly custom?: readonly CustomColumn[]
}

/** A kind of repeated column, with a name in its header. */
interface CustomColumn {
  readonly head: RegExp
  /** The part that the column belongs to. */
  readonly of: 'relations' | 'custom_fields'
  /** @param name the name in the header, as written @returns parts of the item */
  read(name: string, cells: readonly string[]): Partial<ImportedParts>
}

/** A further column as the file has it. */
interface FoundColumn {
  readonly header: string
  /** The name in the header, as written. */
  readonly name: string
  readonly column: CustomColumn
  readonly positions: readonly number[]
}

/** Defines a format with one row per item. */
function tableFormat({ name, has, columns, splitLabels, custom = [] }: TableFormat): ImportFormat {
  return {
    name,
    fields: FIELDS,
    matches: ({ text }) => hasColumns(text, has),
    read: ({ text }, options) => readItems(text, columnsFor(columns, text, options), splitLabels, custom),
  }
}

function readItems(
  text: string,
  columns: Columns,
  splitLabels: TableFormat['splitLabels'],
  custom: readonly CustomColumn[],
): ImportContent {
  const { headers, rows, problems, positionsOf } = readTable(text)
  const known = new Set(Object.values(columns).flat())
  const others = [...new Map(headers.map(header => [nameKey(header), header])).values()].flatMap(
    (header): FoundColumn[] => {
      const column = known.has(nameKey(header)) ? undefined : custom.find(({ head }) => head.test(header))
      return column
        ? [{ header, name: column.head.exec(header)![1]!, column, positions: positionsOf([nameKey(header)]) }]
        : []
    },
  )
  const positions = Object.fromEntries(Object.entries(columns).map(([field, names]) => [field, positionsOf(names)]))
  const taken = new Set([...known, ...others.map(({ header }) => nameKey(header))])
  const ignored = headers.filter(header => !taken.has(nameKey(header)))
  const fields = new Map(Object.entries(columns).flatMap(([field, names]) => names.map(name => [name, field] as const)))
  for (const { header, column } of others) fields.set(nameKey(header), column.of)
  return {
    items: itemsOf(rows, positions, { splitLabels, others }),
    problems,
    ignored: [...new Set(ignored)],
    columns: [...new Set(headers)].map(head => ({ head, field: fields.get(nameKey(head)) ?? null })),
  }
}

function* itemsOf(
  rows: readonly TableRow[],
  positions: Positions,
  { splitLabels, others }: Pick<TableFormat, 'splitLabels'> & { readonly others: readonly FoundColumn[] },
): Generator<ImportedItem> {
  const keys = keysOf(rows, positions)
  const findParent = parentFinder(keys, positions)
  for (const [row, key] of keys) {
    const item = itemOf(row, key, positions, splitLabels)
    const parent = findParent(row)
    const parts = others.length === 0 ? item.parts : { ...item.parts, ...partsOf(row, others) }
    yield { ...item, parts, ...(parent !== undefined && { parent }) }
  }
}

/** Finds keys of parents. Jira references them by an internal id, Asana and tables without keys by a title that one row has. */
function parentFinder(keys: ReadonlyMap<TableRow, string>, positions: Positions) {
  const keysBy = (field: 'id' | 'title', use: Field) => {
    const used = positions[field]?.length && positions[use]?.length ? keys : []
    const found = new Map<string | undefined, string | undefined>()
    for (const [row, key] of used) {
      const value = valueOf(row, positions, field)
      found.set(value, found.has(value) && found.get(value) !== key ? undefined : key)
    }
    return found
  }
  const [byId, byTitle] = [keysBy('id', 'parentId'), keysBy('title', 'parent')]
  const known = new Set(keys.values())
  return (row: TableRow): string | undefined => {
    const id = valueOf(row, positions, 'parentId')
    if (id !== undefined) return byId.get(id) ?? id
    const parent = valueOf(row, positions, 'parent')
    return parent === undefined || known.has(parent) ? parent : (byTitle.get(parent) ?? parent)
  }
}

/** Returns the first value of a field, trimmed. */
const valueOf = (row: TableRow, positions: Positions, field: Field): string | undefined =>
  row.first(positions[field] ?? NONE)?.trim()

/** Returns the keys of rows: of a column, else the texts of the row, with a number if rows with these texts differ otherwise. */
function keysOf(rows: readonly TableRow[], positions: Positions): ReadonlyMap<TableRow, string> {
  const alike = new Map<string, Map<string, number>>()
  const keyOf = (row: TableRow): string => {
    const texts = [positions.title, positions.detail].map(at => row.first(at ?? NONE) ?? '')
    const key = texts.join('\n').slice(0, 1000)
    const earlier = alike.get(key) ?? new Map<string, number>()
    const place = earlier.get(row.text) ?? earlier.size
    alike.set(key, earlier.set(row.text, place))
    return place === 0 ? key : `${key}\n${place + 1}`
  }
  return new Map(rows.map(row => [row, valueOf(row, positions, 'key') ?? keyOf(row)]))
}

/** Reads the further columns of a row. */
function partsOf(row: TableRow, columns: readonly FoundColumn[]): Partial<ImportedParts> {
  const parsed = columns.flatMap(({ name, column, positions }) => {
    const cells = row.all(positions)
    return cells.length === 0 ? [] : [column.read(name, cells)]
  })
  const valuesOf = (of: CustomColumn['of']) =>
    unlessEmpty(parsed.flatMap(parts => (parts[of] ?? []) as readonly unknown[]))
  return present({
    relations: valuesOf('relations'),
    custom_fields: valuesOf('custom_fields'),
  }) as Partial<ImportedParts>
}

function itemOf(
  row: TableRow,
  key: string,
  positions: Positions,
  splitLabels: TableFormat['splitLabels'],
): ImportedItem {
  const all = (field: Field): readonly string[] => row.all(positions[field] ?? NONE)
  const one = (field: Field): string | undefined => row.first(positions[field] ?? NONE)
  const trimmed = (field: Field): string | undefined => valueOf(row, positions, field)
  const [dueDate, startDate] = [one('dueDate'), one('startDate')]
  const completedAt = trimmed('completedAt')
  const links = all('links').map(cell => `- ${cell.split(';').at(-1)!.trim()}`)
  return {
    line: row.line,
    key,
    title: one('title') ?? '',
    detail: [one('detail') ?? '', links.join('\n')].filter(text => text !== '').join('\n\n'),
    ...present({
      status: trimmed('status'),
      priority: trimmed('priority'),
      kind: trimmed('kind'),
      dueDate: dueDate && readDate(dueDate),
      dueTime: trimmed('dueTime') ?? readDueTime(dueDate),
      startDate: startDate && readDate(startDate),
      createdAt: trimmed('createdAt'),
      completedAt,
      closed: completedAt === undefined ? undefined : true,
      author: trimmed('author'),
      assignee: trimmed('assignee'),
    }),
    parts: {
      ...present({
        labels: unlessEmpty(all('labels').flatMap(splitLabels)),
        comments: unlessEmpty(all('comments').map(commentOf)),
        estimate: trimmed('estimate'),
        // A name is not a path, and an item is in the last of its sprints.
        area: all('area').at(-1)?.trim().replaceAll('/', '-'),
        sprint: all('sprint').at(-1)?.trim().replaceAll('/', '-'),
        version: trimmed('version'),
      }),
      ...numberOf(key),
    },
  }
}

const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list)

/** Jira writes `14/Mar/26 10:01 AM;ann;text`. */
function commentOf(cell: string): ImportedParts['comments'][number] {
  const [, at, author, body] = /^([^;\n]{6,40});([^;\n]{1,200});([\s\S]*)$/.exec(cell) ?? []
  const time = at === undefined ? undefined : readInstant(at)
  return time === undefined ? { author: null, at: null, body: cell } : { author: author!, at: time, body: body! }
}

const whole = (cell: string): string[] => [cell.trim()]
const splitList = (cell: string): string[] => cell.split(/[,、]/).flatMap(name => (name.trim() ? [name.trim()] : []))

/** Reads links by the name of their type; blocking, causing and splitting links become references. */
function jiraLinks(name: string, cells: readonly string[], outgoing: boolean): Partial<ImportedParts> {
  const type = /duplicat/i.test(name) ? 'duplicate' : /clone/i.test(name) ? 'generated_from' : 'reference'
  return { relations: cells.map(cell => ({ type, outgoing, key: cell.trim() })) }
}

/** Jira: Filters, Export, CSV. Several columns have the names Labels, Comment and Sprint. */
export const jira = tableFormat({
  name: 'jira',
  has: ['issue key', 'summary'],
  columns: {
    key: ['issue key'],
    id: ['issue id'],
    title: ['summary'],
    detail: ['description'],
    status: ['status'],
    priority: ['priority'],
    kind: ['issue type'],
    dueDate: ['due date'],
    startDate: ['custom field (start date)'],
    createdAt: ['created'],
    completedAt: ['resolved'],
    parent: ['parent key'],
    parentId: ['parent id', 'parent'],
    author: ['reporter'],
    assignee: ['assignee'],
    labels: ['labels'],
    comments: ['comment'],
    estimate: ['custom field (story points)', 'custom field (story point estimate)', 'story points'],
    links: ['attachment'],
    sprint: ['sprint'],
    version: ['fix version/s', 'fix versions'],
  },
  custom: [
    { of: 'relations', head: /^outward issue link \((.+)\)$/i, read: (name, cells) => jiraLinks(name, cells, true) },
    { of: 'relations', head: /^inward issue link \((.+)\)$/i, read: (name, cells) => jiraLinks(name, cells, false) },
    {
      of: 'custom_fields',
      head: /^custom field \((?!rank\)|development\)|\[chart\])(.+)\)$/i,
      read: (label, cells) => ({ custom_fields: [{ label, value: cells.join(', ') }] }),
    },
  ],
  splitLabels: whole,
})

/** Linear: Settings, Import and export, CSV. */
export const linear = tableFormat({
  name: 'linear',
  has: ['id', 'team', 'title', 'status'],
  columns: {
    key: ['id'],
    title: ['title'],
    detail: ['description'],
    status: ['status'],
    priority: ['priority'],
    dueDate: ['due date'],
    startDate: ['started'],
    createdAt: ['created'],
    completedAt: ['completed', 'canceled'],
    parent: ['parent issue'],
    author: ['creator'],
    assignee: ['assignee'],
    labels: ['labels'],
    estimate: ['estimate'],
  },
  splitLabels: splitList,
})

/** Any other table with a title column, in English or Japanese. */
export const csv: ImportFormat = {
  ...tableFormat({ name: 'csv', has: [], columns: GENERIC, splitLabels: splitList }),
  matches: ({ text }) => headerOf(text).some(name => (GENERIC.title as readonly string[]).includes(name)),
}
