import { nameKey, ToolError } from 'tasuki/worker'
import { cellParts, FIELDS, OWN_COLUMNS, rearm } from '../export/csv.ts'
import { JSON_FORMAT } from '../export/json.ts'
import type { ImportContent, ImportedItem, ImportFormat } from '../points.ts'
import { hasColumns, readTable } from './table.ts'
import { elementsOf, jsonOf, present, textOf, type Json } from './json.ts'

/** The output of `tasuki export items --format json`. */
export const ownJson: ImportFormat = {
  name: 'tasuki',
  matches: file => jsonOf(file)?.format === JSON_FORMAT,
  read(file): ImportContent {
    const content = jsonOf(file)
    if (content?.format !== JSON_FORMAT || content.version !== 1)
      throw new ToolError('invalid_argument', 'The file is no export of this service, or of a later version of it.', {
        field: 'file',
        hint: 'Export it again as JSON, or name another format.',
      })
    return {
      items: elementsOf(content.items).map((item, n) => jsonItemOf(item ?? {}, n + 1)),
      problems: [],
      ignored: [],
    }
  },
}

/** Fields of an item; what else a file has are parts, of which only the plugins know. */
const ITEM_FIELDS: ReadonlySet<string> = new Set([...FIELDS, 'project', 'closed', 'parent', 'imported_from'])
const partsOf = (fields: object): ImportedItem['parts'] =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !ITEM_FIELDS.has(name)))

/** Returns an item from the fields that both formats have. @param of returns the value of a field; undefined for none */
function itemOf(of: (field: (typeof FIELDS)[number]) => string | undefined, line: number): Omit<ImportedItem, 'parts'> {
  return {
    line,
    key: of('id') ?? of('ref') ?? String(line),
    title: of('title') ?? '',
    ...present({
      type: of('type'),
      detail: of('detail'),
      status: of('status'),
      priority: of('priority'),
      kind: of('kind'),
      dueDate: of('due_date'),
      dueTime: of('due_time'),
      startDate: of('start_date'),
      createdAt: of('created_at'),
      completedAt: of('completed_at'),
      archivedAt: of('archived_at'),
    }),
  }
}

function jsonItemOf(item: Json, line: number): ImportedItem {
  return {
    ...itemOf(field => textOf(item[field]), line),
    closed: item.closed === true,
    ...present({
      parent: textOf(item.parent?.id),
      author: textOf(item.imported_from?.author),
      assignee: textOf(item.imported_from?.assignee),
    }),
    parts: partsOf(item),
  }
}

/** The output of `tasuki export items --format csv`. */
export const ownCsv: ImportFormat = {
  name: 'tasuki-csv',
  matches: ({ text }) => hasColumns(text, OWN_COLUMNS),
  read({ text }): ImportContent {
    const { headers, rows, problems } = readTable(text)
    const columns = headers.map(nameKey)
    return {
      problems,
      ignored: [],
      items: rows.map((row): ImportedItem => {
        const of = (name: string): string | undefined => {
          const value = rearm(row.cell(name))
          return value === '' ? undefined : value
        }
        return {
          ...itemOf(of, row.line),
          closed: of('completed_at') !== undefined,
          ...present({ parent: of('parent_id'), author: of('author'), assignee: of('assignee') }),
          parts: partsOf(
            Object.fromEntries(columns.flatMap(name => (of(name) === undefined ? [] : [[name, of(name)]]))),
          ),
        }
      }),
    }
  },
  finish: all => {
    const parts = cellParts(all)
    return item => {
      const cells = item.parts as Readonly<Record<string, string | undefined>>
      const read = parts.flatMap(({ of, cell }) => (cells[of] === undefined ? [] : [[of, cell.read(cells[of])]]))
      return { ...item, parts: { ...item.parts, ...Object.fromEntries(read) } }
    }
  },
}
