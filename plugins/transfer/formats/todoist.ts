import { createHash } from 'node:crypto'
import { quoteName } from 'tasuki/worker'
import type { ImportContent, ImportedItem, ImportFile, ImportFormat } from '../points.ts'
import { readDay, readInstant, readTime } from './dates.ts'
import { present } from './json.ts'
import { hasColumns, readTable, type TableRow } from './table.ts'

const HAS = ['type', 'content', 'priority', 'indent']
/** Most urgent first. */
const PRIORITIES = ['urgent', 'high', 'normal', 'low']
/** A date such as `every monday` or `毎週月曜日`. */
const REPEATS = /^(?:every|ev|after|daily|weekly|monthly|quarterly|yearly|毎|隔)/i
/** The most levels above a task, as in Todoist: their titles are in its key. */
const MAX_LEVELS = 4
const LABEL = /(?:^|\s)@(\S+)/g

const isTable = (text: string): boolean => hasColumns(text, HAS)
const tablesOf = ({ name, text, entries }: ImportFile): readonly { readonly name: string; readonly text: string }[] =>
  entries ? entries.filter(entry => isTable(entry.text)) : [{ name, text }]

/** Todoist: a project exported as CSV, or a backup, which is an archive with one table per project. */
export const todoist: ImportFormat = {
  name: 'todoist',
  matches: file => (file.entries ? file.entries.some(entry => isTable(entry.text)) : isTable(file.text)),
  read(file): ImportContent {
    const tables = tablesOf(file).map(table => parseTable(table, file.entries !== undefined))
    return {
      items: joinItems(tables),
      problems: tables.flatMap(({ problems }) => problems),
      ignored: ['duration', 'time zones (times are as in the file)'],
    }
  },
}

function* joinItems(tables: readonly { readonly items: Iterable<ImportedItem> }[]): Generator<ImportedItem> {
  for (const { items } of tables) yield* items
}

/** A task that collects data from the rows below it. */
type Task = { -readonly [K in keyof ImportedItem]: ImportedItem[K] } & {
  readonly comments: { readonly author: string | null; readonly at: string | null; readonly body: string }[]
}

function parseTable({ name, text }: { readonly name: string; readonly text: string }, isBackup: boolean) {
  const { rows, problems: found } = readTable(text)
  const problems = [...found]
  // The name of a project's file in a backup consists of the project's name and its id in brackets.
  const project = name
    .replace(/^.*\//, '')
    .replace(/\.csv$/i, '')
    .replace(/\[\d+\]$/, '')
    .trimEnd()
  for (const row of rows) {
    const deadline = row.cell('deadline').trim()
    if (deadline !== '' && row.cell('date').trim() !== '')
      problems.push({
        line: row.line,
        field: 'deadline',
        problem: `${quoteName(deadline, 80)} is left out: the task has a date, too`,
      })
  }
  return { problems, items: itemsOf(rows, project, isBackup) }
}

function* itemsOf(rows: readonly TableRow[], project: string, isBackup: boolean): Generator<ImportedItem> {
  let task: Task | undefined
  const above: Task[] = []
  const times = new Map<string, number>()
  let section: string | undefined
  for (const row of rows) {
    const type = row.cell('type').trim().toLowerCase()
    if (type === 'section') {
      section = row.cell('content').trim() || undefined
      above.length = 0
    } else if (type === 'note') addNote(task, row)
    else if (type === 'task') {
      if (task) yield itemOf(task)
      const level = Math.max(Number(row.cell('indent')) || 1, 1)
      above.length = Math.min(level - 1, above.length, MAX_LEVELS)
      const path = [project, section ?? '', ...above.map(each => each.title), row.cell('content')].join('\n')
      const before = times.get(path) ?? 0
      times.set(path, before + 1)
      // There is no id: the key consists of the task's path and its position among equal tasks.
      const key = createHash('sha256').update(`${path}\n${before}`).digest('hex').slice(0, 32)
      task = taskOf(row, { key, area: [isBackup ? project : '', section ?? ''], parent: above.at(-1)?.key })
      above.push(task)
    }
  }
  if (task) yield itemOf(task)
}

const itemOf = ({ comments, ...task }: Task): ImportedItem =>
  comments.length === 0 ? task : { ...task, parts: { ...task.parts, comments } }

interface TaskPlace {
  readonly key: string
  readonly area: readonly string[]
  readonly parent: string | undefined
}

function taskOf(row: TableRow, { key, area, parent }: TaskPlace): Task {
  const content = row.cell('content')
  const labels = [...content.matchAll(LABEL)].map(match => match[1]!)
  const date = row.cell('date').trim() || row.cell('deadline').trim()
  const path = area.filter(name => name !== '').map(name => name.replaceAll('/', '-'))
  return {
    line: row.line,
    key,
    title: content.replaceAll(LABEL, '').trim() || content,
    ...present({
      detail: row.cell('description') || undefined,
      priority: PRIORITIES[Number(row.cell('priority')) - 1],
      // Other texts that are no dates are reported with their rows.
      dueDate: date === '' || REPEATS.test(date) ? undefined : readDay(date),
      dueTime: REPEATS.test(date) ? undefined : readTime(date),
      author: personOf(row.cell('author')) ?? undefined,
      assignee: personOf(row.cell('responsible')) ?? undefined,
      parent,
    }),
    parts: {
      ...(labels.length > 0 && { labels }),
      ...(path.length > 0 && { area: path.join('/') }),
      ...(REPEATS.test(date) && { recurrence: { rule: date } }),
    },
    comments: [],
  }
}

function addNote(task: Task | undefined, row: TableRow): void {
  const body = row.cell('content')
  if (!task || body.trim() === '') return
  task.comments.push({ author: personOf(row.cell('author')), at: readInstant(row.cell('date')) ?? null, body })
}

/** Removes the number from `Ann (123)`. */
const personOf = (text: string): string | null =>
  text
    .trimEnd()
    .replace(/\(\d+\)$/, '')
    .trim() || null
