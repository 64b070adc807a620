import type { All } from 'tasuki/plugin'
import type { ExportedItem } from '../exported.repository.ts'
import { exportParts, type ExportPart } from '../points.ts'
import type { ExportFormat } from './format.ts'

/** Columns of every export; those of plugins follow. */
export const FIELDS = [
  'ref',
  'type',
  'title',
  'detail',
  'status',
  'priority',
  'kind',
  'due_date',
  'due_time',
  'start_date',
  'created_at',
  'updated_at',
  'completed_at',
  'archived_at',
  'id',
  'parent_ref',
  'parent_id',
  'author',
  'assignee',
] as const
/** The combination of columns that identifies this format. */
export const OWN_COLUMNS = ['ref', 'id', 'parent_ref', 'parent_id', 'archived_at'] as const

/** Parts with a column in tables, under their own name. */
export type CellPart = ExportPart & Required<Pick<ExportPart, 'cell'>>
export const cellParts = (all: All): readonly CellPart[] =>
  all(exportParts.point).filter((part): part is CellPart => part.cell !== undefined)

/** One row per item, by RFC 4180, with a byte order mark, without which Excel does not detect UTF-8. */
export const csvFormat: ExportFormat = {
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  begin: all => `\uFEFF${rowOf([...FIELDS, ...cellParts(all).map(part => part.of)])}`,
  write: (all, item) =>
    rowOf([
      ...FIELDS.map(field => fieldOf(item, field)),
      ...cellParts(all).map(({ of, cell }) => {
        const value = item.parts[of]
        return value === undefined ? '' : cell.write(value)
      }),
    ]),
  end: () => '',
}

function fieldOf(item: ExportedItem, field: (typeof FIELDS)[number]): string {
  if (field === 'parent_ref') return item.parent?.ref ?? ''
  if (field === 'parent_id') return item.parent?.id ?? ''
  // People of an import are kept as texts.
  if (field === 'author' || field === 'assignee') return item.imported_from?.[field] ?? ''
  return item[field] ?? ''
}

const rowOf = (cells: readonly string[]): string => `${cells.map(cell => quote(disarm(cell))).join(',')}\r\n`

const quote = (text: string): string => (/[",\r\n\t;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The beginning of a formula in spreadsheets; may follow apostrophes, so that `disarm` can be reversed. */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/

/** Prefixes a cell with an apostrophe if a spreadsheet would run it as a formula. */
const disarm = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell)

/** Reverses `disarm`. */
export const rearm = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell)
