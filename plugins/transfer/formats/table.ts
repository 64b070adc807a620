import { parse } from 'csv-parse/sync'
import { nameKey, ToolError } from 'tasuki/worker'
import type { ImportProblem } from '../points.ts'

/** A table with a header; several columns may have the same name. */
export interface Table {
  readonly headers: readonly string[]
  readonly rows: readonly TableRow[]
  readonly problems: readonly ImportProblem[]
}
export interface TableRow {
  readonly line: number
  /** Returns all non-empty values of the columns with a name, in order. */
  all(name: string): readonly string[]
  /** Returns the first value of a column unchanged; empty for none. */
  cell(name: string): string
}

/** Returns the normalized names in the header of a file; empty if the file is not a table. */
export function headerOf(text: string): readonly string[] {
  try {
    const [header] = parse(text.slice(0, 50_000), { ...OPTIONS, to: 1 }) as unknown as [
      { readonly record: string[] } | undefined,
    ]
    return header?.record.map(nameKey) ?? []
  } catch {
    return []
  }
}

const OPTIONS = {
  bom: true,
  delimiter: [',', ';', '\t'],
  info: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
}

/** Reads a table. @throws ToolError for other files */
export function readTable(text: string): Table {
  // The delimiter is taken from the header, because texts may contain other ones.
  const [first = ''] = text.split('\n', 1)
  const delimiter = OPTIONS.delimiter.toSorted((a, b) => first.split(b).length - first.split(a).length)[0]!
  const read = parseAll(text, delimiter)
  const [header, ...rows] = read
  if (!header)
    throw new ToolError('invalid_argument', 'The file is empty.', { field: 'file', hint: 'Export it again.' })
  const names = header.record.map(nameKey)
  const problems = rows.flatMap(({ record, line }): ImportProblem[] =>
    record.length > names.length
      ? [{ line, field: '', problem: `has ${record.length} cells, the header ${names.length}: the rest is left out` }]
      : [],
  )
  const places = Map.groupBy(names.keys(), n => names[n]!)
  return {
    headers: header.record,
    problems,
    rows: rows.map(({ record, line }) => ({
      line,
      all: name => (places.get(name) ?? []).flatMap(n => (record[n]?.trim() ? [record[n]] : [])),
      cell: name => record[places.get(name)?.[0] ?? -1] ?? '',
    })),
  }
}

function parseAll(text: string, delimiter: string): { readonly record: string[]; readonly line: number }[] {
  try {
    let end = 0
    const parsed = parse(text, { ...OPTIONS, delimiter }) as unknown as { record: string[]; info: { lines: number } }[]
    return parsed.map(({ record, info }) => {
      const line = end + 1
      end = info.lines
      return { record, line }
    })
  } catch (error) {
    throw new ToolError('invalid_argument', `The file is no table: ${(error as Error).message}`, {
      field: 'file',
      hint: 'Correct that line, or export the file again as CSV.',
    })
  }
}
