import { clip } from '../plugin/clip.ts'
import { ToolError, type ErrorBody } from '../plugin/errors.ts'
import type { CompiledTool } from '../runtime/registry/types.ts'

/** Code points that long texts keep at first; each try halves them. */
const TEXT_MOST = 50_000
const TEXT_LEAST = 100
/** Rows that long lists within a record keep at least. */
const LIST_LEAST = 10

/**
 * Serializes a result within the size limit. A list that is too long is truncated at a row, long texts are shortened.
 * @param maxBytes in UTF-8
 * @throws ToolError limit_exceeded if nothing can be truncated
 */
export function fitResult(
  tool: CompiledTool,
  input: Readonly<Record<string, unknown>>,
  data: object,
  maxBytes: number,
): string {
  const text = JSON.stringify(data)
  // A UTF-16 unit takes at most three bytes, so only long results are measured.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const rows = tool.tool.rows === undefined ? undefined : (data as Record<string, unknown>)[tool.tool.rows]
  const cut = Array.isArray(rows)
    ? cutRows(tool, input, data as Record<string, unknown>, rows, maxBytes)
    : shortenTexts(tool, input, data, maxBytes)
  if (cut !== null) return cut
  const narrowing = Object.keys(tool.input.properties).filter(name => NARROWING.test(name))
  throw new ToolError('limit_exceeded', `The result would be larger than ${maxBytes} bytes`, {
    hint:
      narrowing.length > 0
        ? `Ask for less with ${narrowing.join(', ')}.`
        : 'The operator can raise the limit: setting result_ceiling.',
  })
}

/** Names of parameters that make a result smaller. */
const NARROWING = /^(limit|include.*|.*_max_chars|q|from|to|project_key)$/

function shortenTexts(
  { tool, class: toolClass }: CompiledTool,
  input: Readonly<Record<string, unknown>>,
  data: object,
  maxBytes: number,
): string | null {
  const { shorten } = tool
  if (!shorten && toolClass === 'R') return null
  for (let most = TEXT_MOST; most >= TEXT_LEAST; most = Math.floor(most / 2)) {
    const text = shorten
      ? JSON.stringify(shorten(data as never, most, input as never))
      : JSON.stringify(
          withWarning(data, `The change is made; texts of this answer are cut to ${most} characters.`),
          clipTo(most),
        )
    if (Buffer.byteLength(text) <= maxBytes) return text
  }
  return null
}

/** Returns a replacer for `JSON.stringify` that shortens texts, and lists to `rows`. */
const clipTo =
  (most: number, rows = Infinity) =>
  (_key: string, value: unknown) =>
    typeof value === 'string' ? clip(value, most) : Array.isArray(value) ? value.slice(0, rows) : value

function withWarning(data: object, warning: string): object {
  const { warnings } = data as { readonly warnings?: readonly string[] }
  return { ...data, warnings: [...(warnings ?? []), warning] }
}

function cutRows(
  tool: CompiledTool,
  input: Readonly<Record<string, unknown>>,
  data: Readonly<Record<string, unknown>>,
  rows: readonly unknown[],
  maxBytes: number,
): string | null {
  const paged = 'offset' in tool.input.properties
  const offset = Number(input['offset'] ?? 0)
  // The cursor points behind the last row of the tool, so it would skip the rows that are cut.
  const { next_cursor: cursor, ...rest } = data
  const pageOf = (kept: readonly unknown[]) => ({
    ...rest,
    [tool.tool.rows!]: kept,
    has_more: true,
    ...(paged && { next_offset: offset + kept.length }),
  })
  const withRows = (kept: readonly unknown[]) =>
    withWarning(
      pageOf(kept),
      `Cut to ${kept.length} of ${rows.length} rows to stay below ${maxBytes} bytes; ${
        paged
          ? 'go on from next_offset'
          : cursor === undefined
            ? 'ask for fewer rows to see the rest'
            : `there is no next_cursor: call again with a limit of at most ${kept.length}`
      }.`,
    )
  // Measures the result without rows, plus room for the longest possible counts.
  let remaining = maxBytes - Buffer.byteLength(JSON.stringify(withRows([]))) - 24
  let count = 0
  for (const row of rows) {
    remaining -= Buffer.byteLength(JSON.stringify(row)) + 1
    if (remaining < 0) break
    count++
  }
  if (count > 0) return JSON.stringify(withRows(rows.slice(0, count)))
  const one = (row: unknown) => (rows.length === 1 ? { ...data, [tool.tool.rows!]: [row] } : pageOf([row]))
  return shortenRow(tool, rows[0] as object, one, maxBytes)
}

/** Shortens a row that alone is too large, so that paging goes on. */
function shortenRow({ tool }: CompiledTool, row: object, pageWith: (row: object) => object, maxBytes: number) {
  for (let most = TEXT_MOST; most >= LIST_LEAST; most = Math.floor(most / 2)) {
    const short = JSON.parse(JSON.stringify(row, clipTo(Math.max(most, TEXT_LEAST), most))) as Record<string, unknown>
    const cut = Object.entries(row).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(short[key]))
    const name = 'ref' in row ? String(row.ref) : 'The first row'
    const what = `${name} alone exceeds ${maxBytes} bytes: ${cut.map(([key]) => key).join(', ')} is cut to ${most}`
    const text = JSON.stringify(
      withWarning(pageWith(short), `${what}${tool.rowTool ? `; ${tool.rowTool} reads on` : ''}.`),
    )
    if (Buffer.byteLength(text) <= maxBytes) return text
  }
  return null
}

/** Characters that remain of each text in an error that is too large. */
const DETAIL_CHARACTERS = 500

/** Serializes an error within the size limit by shortening or omitting its details. @param maxBytes in UTF-8 */
export function fitError(error: ErrorBody, maxBytes: number): string {
  const { details: _details, ...rest } = error
  const text = JSON.stringify({ error })
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const short = JSON.stringify({ error }, clipTo(DETAIL_CHARACTERS))
  return Buffer.byteLength(short) <= maxBytes ? short : JSON.stringify({ error: rest })
}
