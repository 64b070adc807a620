import { nameKey } from 'tasuki/plugin'
import type { ImportContent, ImportedItem, ImportedParts, ImportFormat } from '../points.ts'
import { headerOf, readTable, type TableRow } from './table.ts'
import { readDay, readInstant } from './dates.ts'

/** Names of columns by what they hold, as they are compared. */
type Columns = Readonly<Partial<Record<Field, readonly string[]>>>
type Field =
  | Exclude<keyof ImportedItem, 'line' | 'parts' | 'closed'>
  | 'labels'
  | 'comments'
  | 'estimate'
  | 'id'
  | 'parentId'
  | 'links'

const KEY = /^([A-Za-z][A-Za-z0-9_]{0,15})-(\d{1,9})$/

/** The key of a source as a number of a series. */
export function numberOf(key: string): Pick<ImportedParts, 'numbers'> | undefined {
  const [, prefix, digits] = KEY.exec(key) ?? []
  const number = Number(digits)
  return prefix === undefined || number < 1 ? undefined : { numbers: [{ prefix: prefix.toUpperCase(), number }] }
}

interface TableFormat {
  readonly name: string
  /** Columns that only this format has. */
  readonly has: readonly string[]
  readonly columns: Columns
  /** How a cell names several labels. */
  splitLabels(cell: string): readonly string[]
}

/** A format of one row for each item. */
function tableFormat({ name, has, columns, splitLabels }: TableFormat): ImportFormat {
  return {
    name,
    matches: ({ text }) => {
      const header = headerOf(text)
      return has.every(column => header.includes(column))
    },
    read: ({ text }) => readItems(text, columns, splitLabels),
  }
}

function readItems(text: string, columns: Columns, splitLabels: TableFormat['splitLabels']): ImportContent {
  const { headers, rows, problems } = readTable(text)
  const known = new Set(Object.values(columns).flat())
  const ignored = headers.filter(header => !known.has(nameKey(header)))
  const read = rows.map(row => itemOf(row, columns, splitLabels))
  // Jira names parents by an id of its own.
  const keys = new Map(read.flatMap(({ id, item }) => (id === undefined ? [] : [[id, item.key]])))
  const items = read.map(({ item, parentId }) => ({
    ...item,
    ...(parentId !== undefined && { parent: keys.get(parentId) ?? parentId }),
  }))
  return { items, problems, ignored: [...new Set(ignored)] }
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
const listed = (cell: string): string[] => cell.split(/[,、]/).flatMap(name => (name.trim() ? [name.trim()] : []))

/** Jira: Filters, Export, CSV. Several columns are called Labels, Comment and Sprint. */
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
  },
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
  splitLabels: listed,
})

/** Any other table with a column for the title, in English or Japanese. */
export const csv: ImportFormat = {
  ...tableFormat({
    name: 'csv',
    has: [],
    columns: {
      key: ['key', 'id', 'ref', 'issuekey', 'issue key', 'キー', '課題キー'],
      title: ['title', 'summary', 'subject', 'name', 'task', '件名', 'タイトル', '題名'],
      detail: ['detail', 'description', 'body', 'notes', '詳細', '説明', '本文', '内容'],
      status: ['status', 'state', '状態', 'ステータス'],
      priority: ['priority', '優先度'],
      kind: ['kind', 'type', '種別', '種類'],
      dueDate: ['due_date', 'due date', 'due', '期限', '期限日'],
      dueTime: ['due_time', 'due time'],
      startDate: ['start_date', 'start date', 'start', '開始日'],
      createdAt: ['created_at', 'created', '作成日', '登録日'],
      completedAt: ['completed_at', 'completed', 'resolved', '完了日'],
      parent: ['parent', 'parent key', '親課題'],
      author: ['author', 'reporter', 'creator', '登録者'],
      assignee: ['assignee', '担当者'],
      labels: ['labels', 'label', 'tags', 'tag', 'ラベル', 'カテゴリー'],
      comments: ['comment', 'comments', 'コメント'],
      estimate: ['estimate', 'storypoint', 'story points', 'points', '見積もり'],
    },
    splitLabels: listed,
  }),
  matches: ({ text }) =>
    headerOf(text).some(name =>
      ['title', 'summary', 'subject', 'name', 'task', '件名', 'タイトル', '題名'].includes(name),
    ),
}
