import { clip } from '../plugin/clip.ts'
import { ToolError, type ErrorBody } from '../plugin/errors.ts'
import type { CompiledTool } from '../runtime/registry/types.ts'

/**
 * Serializes a result within the size limit. A list that is too long is truncated at a row.
 * @param maxBytes in UTF-8
 * @throws ToolError limit_exceeded if nothing can be truncated
 */
export function fitRows(
  tool: CompiledTool,
  input: Readonly<Record<string, unknown>>,
  data: object,
  maxBytes: number,
): string {
  const text = JSON.stringify(data)
  // A UTF-16 unit takes at most three bytes, so only long results are measured.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const rows = tool.tool.rows === undefined ? undefined : (data as Record<string, unknown>)[tool.tool.rows]
  const cut = Array.isArray(rows) ? cutRows(tool, input, data as Record<string, unknown>, rows, maxBytes) : null
  if (cut !== null) return cut
  throw new ToolError('limit_exceeded', `The result would be larger than ${maxBytes} bytes`, {
    hint: 'Ask for less: a smaller limit, fewer include_ flags or a narrower range.',
  })
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
  const withRows = (kept: readonly unknown[]) => ({
    ...data,
    [tool.tool.rows!]: kept,
    has_more: true,
    ...(paged && { next_offset: offset + kept.length }),
    warnings: [
      ...(Array.isArray(data['warnings']) ? (data['warnings'] as unknown[]) : []),
      paged
        ? `Cut to ${kept.length} of ${rows.length} rows to stay below ${maxBytes} bytes; go on from next_offset.`
        : `Cut to ${kept.length} of ${rows.length} rows to stay below ${maxBytes} bytes; ask for fewer rows to see the rest.`,
    ],
  })
  // Measures the result without rows, plus room for the longest possible counts.
  let remaining = maxBytes - Buffer.byteLength(JSON.stringify(withRows([]))) - 24
  let count = 0
  for (const row of rows) {
    remaining -= Buffer.byteLength(JSON.stringify(row)) + 1
    if (remaining < 0) break
    count++
  }
  return count > 0 ? JSON.stringify(withRows(rows.slice(0, count))) : null
}

/** Characters that remain of each text in an error that is too large. */
const DETAIL_CHARACTERS = 500

/** Serializes an error within the size limit by shortening or omitting its details. @param maxBytes in UTF-8 */
export function fitError(error: ErrorBody, maxBytes: number): string {
  const { details: _details, ...rest } = error
  const text = JSON.stringify({ error })
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const short = JSON.stringify({ error }, (_key, value: unknown) =>
    typeof value === 'string' ? clip(value, DETAIL_CHARACTERS) : value,
  )
  return Buffer.byteLength(short) <= maxBytes ? short : JSON.stringify({ error: rest })
}
