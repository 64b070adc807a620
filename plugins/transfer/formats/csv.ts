import { nameKey } from 'tasuki/worker'
import type { ImportContent, ImportedItem, ImportedParts, ImportFormat } from '../points.ts'
import { columnsFor, FIELDS, GENERIC, type Columns, type Field } from './columns.ts'
import { headerOf, readTable, type TableRow } from './table.ts'
import { readDay, readInstant } from './dates.ts'

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

/** Defines a format with one row per item. */
function tableFormat({ name, has, columns, splitLabels, custom = [] }: TableFormat): ImportFormat {
  return {
    name,
    fields: FIELDS,
    matches: ({ text }) => {
      const header = headerOf(text)
      return has.every(column => header.includes(column))
    },
    read: ({ text }, options) => readItems(text, columnsFor(columns, text, options), splitLabels, custom),
  }
}

function readItems(
  text: string,
  columns: Columns,
  splitLabels: TableFormat['splitLabels'],
  custom: readonly CustomColumn[],
): ImportContent {
  const { headers, rows, problems } = readTable(text)
  const known = new Set(Object.values(columns).flat())
  const others = [...new Map(headers.map(header => [nameKey(header), header])).values()].flatMap(header => {
    const column = known.has(nameKey(header)) ? undefined : custom.find(({ head }) => head.test(header))
    return column ? [{ header, name: column.head.exec(header)![1]!, column }] : []
  })
  const read = rows.map(row => itemOf(row, columns, splitLabels))
  const extra = rows.map((row): Partial<ImportedParts> => {
    const parsed = others.flatMap(({ header, name, column }) => {
      const cells = row.all(nameKey(header))
      return cells.length === 0 ? [] : [column.read(name, cells)]
    })
    const lists = ['relations', 'custom_fields'] as const
    return Object.fromEntries(
      lists.flatMap(of => {
        const values = parsed.flatMap(parts => (parts[of] ?? []) as readonly unknown[])
        return values.length === 0 ? [] : [[of, values]]
      }),
    )
  })
  const taken = new Set([...known, ...others.map(({ header }) => nameKey(header))])
  const ignored = headers.filter(header => !taken.has(nameKey(header)))
  // Jira references parents by an internal id.
  const keys = new Map(read.flatMap(({ id, item }) => (id === undefined ? [] : [[id, item.key]])))
  const items = read.map(({ item, parentId }, n) => ({
    ...item,
    parts: { ...item.parts, ...extra[n] },
    ...(parentId !== undefined && { parent: keys.get(parentId) ?? parentId }),
  }))
  const fields = new Map(Object.entries(columns).flatMap(([field, names]) => names.map(name => [name, field] as const)))
  for (const { header, column } of others) fields.set(nameKey(header), column.of)
  return {
    items,
    problems,
    ignored: [...new Set(ignored)],
    columns: [...new Set(headers)].map(head => ({ head, field: fields.get(nameKey(head)) ?? null })),
  }
}

function itemOf(row: TableRow, columns: Columns, splitLabels: TableFormat['splitLabels']) {
  const all = (field: Field): readonly string[] => (columns[field] ?? []).flatMap(name => row.all(name))
  const one = (field: Field): string | undefined => all(field)[0]
  const plain = (['status', 'priority', 'kind', 'dueTime', 'parent', 'author', 'assignee'] as const).flatMap(field => {
    const value = one(field)?.trim()
    return value === undefined ? [] : [[field, value] as const]
  })
  const days = (['dueDate', 'startDate'] as const).flatMap(field => {
    const value = one(field)
    return value === undefined ? [] : [[field, readDay(value)] as const]
  })
  const instants = (['createdAt', 'completedAt'] as const).flatMap(field => {
    const value = one(field)
    return value === undefined ? [] : [[field, readInstant(value)] as const]
  })
  const title = one('title') ?? ''
  const key = one('key')?.trim() ?? `${title}\n${one('detail') ?? ''}`.slice(0, 1000)
  const [labels, comments, estimate] = [all('labels').flatMap(splitLabels), all('comments'), one('estimate')]
  const places = (['area', 'sprint', 'version'] as const).flatMap(field => {
    // An item is in the last of its sprints; a name is not a path.
    const cells = all(field)
    const name = (field === 'version' ? cells[0] : cells.at(-1))?.trim()
    return name === undefined ? [] : [[field, field === 'version' ? name : name.replaceAll('/', '-')] as const]
  })
  const links = all('links').map(cell => `- ${cell.split(';').at(-1)!.trim()}`)
  const item: ImportedItem = {
    line: row.line,
    key,
    title,
    detail: [one('detail') ?? '', links.join('\n')].filter(text => text !== '').join('\n\n'),
    ...Object.fromEntries([...plain, ...days, ...instants]),
    ...(columns.completedAt && one('completedAt') !== undefined && { closed: true }),
    parts: {
      ...(labels.length > 0 && { labels }),
      ...(comments.length > 0 && { comments: comments.map(commentOf) }),
      ...(estimate !== undefined && { estimate: estimate.trim() }),
      ...numberOf(key),
      ...Object.fromEntries(places),
    },
  }
  return { item, id: one('id')?.trim(), parentId: one('parentId')?.trim() }
}

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
  ...tableFormat({
    name: 'csv',
    has: [],
    columns: GENERIC,
    splitLabels: splitList,
  }),
  matches: ({ text }) =>
    headerOf(text).some(name =>
      ['title', 'summary', 'subject', 'name', 'task', '件名', 'タイトル', '題名'].includes(name),
    ),
}
