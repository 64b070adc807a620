/** Lays rows out in columns; empty cells are dashes. */
export function table(rows: readonly Readonly<Record<string, unknown>>[]): string {
  if (rows.length === 0) return '(none)'
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const cells = rows.map(row => columns.map(column => cell(row[column])))
  const widths = columns.map((column, n) => Math.max(column.length, ...cells.map(line => line[n]!.length)))
  const line = (parts: readonly string[]): string =>
    parts
      .map((part, n) => part.padEnd(widths[n]!))
      .join('  ')
      .trimEnd()
  return [line(columns), ...cells.map(line)].join('\n')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
