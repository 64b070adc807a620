import { encodeExtended } from 'content-disposition'
import { quoteName, ToolError } from 'tasuki/plugin'

export const FILENAME_MAX = 255

/** Control characters, including those that change the direction of text: `exe.gpj` must not be displayed as `jpg.exe`. */
const HIDDEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Normalizes a file name to its stored form: without folders and hidden characters. @throws ToolError invalid_argument if none is left */
export function safeFilename(text: string): string {
  const name = text.toWellFormed().replace(HIDDEN, '').split(/[/\\]/).at(-1)!.trim()
  if (name === '' || name === '.' || name === '..')
    throw new ToolError('invalid_argument', `${quoteName(text)} is not a file name.`, {
      field: 'filename',
      hint: `Give 1 to ${FILENAME_MAX} characters without a folder, for example report.pdf.`,
    })
  return name
}

/** Formats Content-Disposition (RFC 6266): an ASCII approximation, and the exact name for clients that support RFC 8187. */
export function contentDisposition(kind: 'attachment' | 'inline', filename: string): string {
  // Some clients decode percent signs and cut at semicolons, even within quotes.
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%;]/g, '_')
  return `${kind}; filename="${ascii}"; filename*=${encodeExtended(filename)}`
}
