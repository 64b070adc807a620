import { parse } from 'csv-parse/sync'
import { nameKey, ToolError } from 'tasuki/plugin'
import type { ImportProblem } from '../points.ts'

/** A table with a header; a name may head several columns. */
export interface Table {
  readonly headers: readonly string[]
  readonly rows: readonly TableRow[]
  readonly problems: readonly ImportProblem[]
}
export interface TableRow {
  readonly line: number
  /** Every value of the columns of a name that is not empty, in their order. */
  all(name: string): readonly string[]
  /** The first value of a name as it is in the file; empty where there is none. */
  cell(name: string): string
}

/** The names in the header of a file, as they are compared; empty for what is no table. */
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

/** Reads a table. @throws ToolError for a file that is none */
export function readTable(text: string): Table {
  // A file with one delimiter in its header may have others in its texts.
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
