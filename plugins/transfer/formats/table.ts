import papaparse from 'papaparse'
import { nameKey, ToolError } from 'tasuki/worker'
import type { ImportProblem } from '../points.ts'
import { MEMORY_LIMITS } from '../memory-limits.ts'

/** A table with a header; several columns may have the same name. */
export interface Table {
  readonly headers: readonly string[]
  readonly rows: readonly TableRow[]
  readonly problems: readonly ImportProblem[]
  /** Returns the positions of the columns with these names, in order. */
  positionsOf(names: readonly string[]): readonly number[]
}

/** A row below the header. */
export class TableRow {
  readonly line: number
  readonly #cells: readonly string[]
  readonly #positions: ReadonlyMap<string, readonly number[]>
  constructor({ line, cells }: Row, positions: ReadonlyMap<string, readonly number[]>) {
    this.line = line
    this.#cells = cells
    this.#positions = positions
  }
  /** All cells, to compare rows. */
  get text(): string {
    return this.#cells.join('\0')
  }
  /** Returns the first value of a column unchanged; empty for none. */
  cell(name: string): string {
    return this.#cells[this.#positions.get(name)?.[0] ?? -1] ?? ''
  }
  /** Returns the first value at positions that is not blank. */
  first(positions: readonly number[]): string | undefined {
    for (const n of positions) if (this.#cells[n]?.trim()) return this.#cells[n]
    return undefined
  }
  /** Returns all values at positions that are not blank. */
  all(positions: readonly number[]): readonly string[] {
    return positions.flatMap(n => (this.#cells[n]?.trim() ? [this.#cells[n]] : []))
  }
}

/** Returns the normalized names in the header of a file; empty if the file is not a table. */
export function headerOf(text: string): readonly string[] {
  const beginning = text.slice(0, HEADER_MAX)
  const { data, errors } = papaparse.parse<string[]>(beginning, {
    ...OPTIONS,
    delimiter: delimiterOf(text),
    preview: 1,
  })
  return errors.length > 0 ? [] : (data[0]?.slice(0, COLUMNS_MAX).map(nameKey) ?? [])
}

/** Returns whether a file is a table with these columns. @param names normalized */
export function hasColumns(text: string, names: readonly string[]): boolean {
  const header = headerOf(text)
  return names.every(name => header.includes(name))
}

/** Row by row, since the fast mode divides the whole text before the limit applies. */
const OPTIONS = { skipEmptyLines: true, fastMode: false } as const
const ROWS_MAX = MEMORY_LIMITS.rows
/** Characters of a text among which its header is looked for. */
const HEADER_MAX = 50_000
/** The most columns that a table may have; exports have at most some hundreds. */
const COLUMNS_MAX = 2000
/** The most characters of a quoted cell. Undoubling the quotes of a longer one takes more memory than the thread has. */
const CELL_MAX = 4_000_000

/** Reads a table. @throws ToolError for other files */
export function readTable(text: string): Table {
  const problems: ImportProblem[] = []
  const [header, ...rows] = parseRows(text, problems)
  if (!header)
    throw new ToolError('invalid_argument', 'The file is empty.', { field: 'file', hint: 'Export it again.' })
  if (header.cells.length > COLUMNS_MAX)
    throw new ToolError('invalid_argument', `The file has ${header.cells.length} columns.`, {
      field: 'file',
      hint: `Export it again with at most ${COLUMNS_MAX} columns.`,
    })
  const names = header.cells.map(nameKey)
  for (const { cells, line } of rows)
    if (cells.length > names.length)
      problems.push(remark(line, `has ${cells.length} cells, the header ${names.length}: the rest is left out`))
  const positions: ReadonlyMap<string, readonly number[]> = Map.groupBy(names.keys(), n => names[n]!)
  return {
    headers: header.cells,
    problems,
    rows: rows.map(row => new TableRow(row, positions)),
    positionsOf: wanted => wanted.flatMap(name => positions.get(name) ?? []),
  }
}

const remark = (line: number, text: string): ImportProblem => ({ line, field: '', problem: text })

/** Returns the delimiter that is most frequent in the header: texts may contain other ones. */
function delimiterOf(text: string): string {
  const [first = ''] = text.slice(0, HEADER_MAX).split('\n', 1)
  return [',', ';', '\t'].toSorted((a, b) => first.split(b).length - first.split(a).length)[0]!
}

interface Row {
  readonly cells: readonly string[]
  /** Line of the file in which it begins. */
  readonly line: number
}

/** @param problems receives rows whose quotes are wrong @throws ToolError for a quote that never ends */
function parseRows(text: string, problems: ImportProblem[]): readonly Row[] {
  if (hasLongCell(text))
    throw new ToolError('invalid_argument', `The file has a cell of more than ${CELL_MAX} characters.`, {
      field: 'file',
      hint: 'Shorten that cell.',
    })
  const rows: Row[] = []
  let [line, end] = [1, 0]
  papaparse.parse<string[]>(text, {
    ...OPTIONS,
    delimiter: delimiterOf(text),
    step({ data, errors, meta: { cursor, linebreak } }) {
      if (errors.some(({ code }) => code === 'MissingQuotes')) throw unclosedQuote(line)
      if (errors.length > 0)
        problems.push(remark(line, 'has a quote within a quoted cell that is not doubled: read as part of the text'))
      if (rows.length > ROWS_MAX) throw tooManyRows()
      rows.push({ cells: data, line })
      for (let at = text.indexOf(linebreak, end); at >= 0 && at < cursor; at = text.indexOf(linebreak, at + 1)) line++
      end = cursor
    },
  })
  return rows
}

function hasLongCell(text: string): boolean {
  let [begin, end] = [-1, -1]
  for (let at = text.indexOf('"'), inside = false; at >= 0; at = text.indexOf('"', at + 1), inside = !inside) {
    if (inside) end = at
    else if (at !== end + 1) begin = at
    if (at - begin > CELL_MAX && (inside || at === end + 1)) return true
  }
  return false
}

const tooManyRows = (): ToolError =>
  new ToolError('invalid_argument', `The file has more than ${ROWS_MAX} rows.`, {
    field: 'file',
    hint: 'Divide it.',
  })

const unclosedQuote = (line: number): ToolError =>
  new ToolError('invalid_argument', `The file is no table: a quote in the row at line ${line} never ends.`, {
    field: 'file',
    hint: 'Correct that line, or export the file again as CSV.',
  })
