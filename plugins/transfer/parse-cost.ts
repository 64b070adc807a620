/** Nanoseconds per byte of a file: decoding, quotes, texts. */
const BYTE = 8
/** Nanoseconds per row of a table, or per object or list of JSON. */
const ROW = 8000
/** Nanoseconds per cell of a table, or per value of JSON. */
const CELL = 100

const bytesOf = (characters: string): ReadonlySet<number> => new Set(Buffer.from(characters))
const [ROWS, CELLS, NESTED] = [bytesOf('\n\r'), bytesOf(',;\t'), bytesOf('[{')]

/**
 * Estimates how long a file takes to parse from how often characters occur that begin a row, a cell or a value; those within texts count as
 * well. @returns milliseconds of processor time, at most `most`
 */
export function estimateParseMs(bytes: Uint8Array, most: number): number {
  const limit = most * 1e6
  let cost = bytes.length * BYTE
  if (cost >= limit) return most
  const costs = Uint16Array.from({ length: 256 }, (_, byte) => (ROWS.has(byte) ? ROW : CELLS.has(byte) ? CELL : 0))
  // A text that begins so is JSON if it can be parsed, else a table.
  if (NESTED.has(bytes.find(byte => byte > 0x20 && byte < 0x80) ?? 0)) for (const byte of NESTED) costs[byte] = ROW
  // Not `for … of`, which takes ten times as long until it is compiled.
  for (let at = 0; at < bytes.length && cost < limit; at++) cost += costs[bytes[at]!]!
  return Math.min(cost / 1e6, most)
}
