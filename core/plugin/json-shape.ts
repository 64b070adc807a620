const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
/** `[` and `{`, and `]` and `}`, differ only in this bit. */
const BRACE = 0x20
const OPEN = 0x5b | BRACE
const CLOSE = 0x5d | BRACE

/** What JSON may have. */
export interface JsonLimits {
  readonly depth: number
  /** Array entries and object members in total. */
  readonly values: number
  /** Escape sequences; each takes as long to parse as dozens of other characters. */
  readonly escapes?: number
}

/**
 * Scans the structure of JSON before it is parsed, because parsing deep JSON or many values takes far longer, and much memory.
 * @returns what is wrong, to follow a subject; null if it may be parsed
 */
export function findJsonProblem(
  bytes: Uint8Array,
  { depth: maxDepth, values: maxValues, escapes: maxEscapes = Infinity }: JsonLimits,
): string | null {
  let depth = 0
  let values = 0
  let escapes = 0
  for (let n = 0; n < bytes.length; n++) {
    const byte = bytes[n]!
    if (byte === QUOTE) {
      for (n++; n < bytes.length && bytes[n] !== QUOTE; n++) {
        if (bytes[n] !== BACKSLASH) continue
        n++
        escapes++
      }
    } else if (byte === COMMA) values++
    else if ((byte | BRACE) === OPEN) depth++
    else if ((byte | BRACE) === CLOSE) depth--
    else if (byte !== QUOTE) continue
    if (depth > maxDepth) return `is nested deeper than ${maxDepth} levels`
    if (escapes > maxEscapes) return `has more than ${maxEscapes} escaped characters`
    if (values > maxValues) return `has more than ${maxValues} values`
  }
  return null
}
