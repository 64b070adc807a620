import { replaceInvisible } from '../plugin/quote-name.ts'

/** Columns are separated only by spaces, so that other programs can parse them. */
const NO_LINES = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'middle']
    .flatMap(side => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map(part => [part, '']),
)

/** Formats rows as a table; empty cells are dashes. Full-width characters, as in Japanese, count as two columns. */
export async function formatTable(rows: readonly Readonly<Record<string, unknown>>[]): Promise<string> {
  if (rows.length === 0) return '(none)'
  // Imported lazily, because a start prints no table.
  const { default: Table } = await import('cli-table3')
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 2 }
  const table = new Table({ head: columns, chars: NO_LINES, style })
  table.push(...rows.map(row => columns.map(column => formatCell(row[column]))))
  return table.toString().replaceAll(/ +$/gm, '')
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return replaceInvisible(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
