import { ToolError } from 'tasuki/plugin'
import { isZip } from './unzip.ts'

/** Kinds of files that no format reads, with what to do instead. */
const KINDS = {
  ics: ['an iCalendar file', 'Save its entries as a CSV file with a column for the title and one for the date.'],
  pdf: ['a PDF file', 'Export the items as CSV or JSON.'],
  xlsx: ['an Excel file', 'Save the sheet as a CSV file.'],
  zip: ['a ZIP archive of no known program', 'Unpack it, and import one of its CSV or JSON files.'],
} as const
type OtherKind = keyof typeof KINDS

/** Recognizes files by their content that people take for an export; null for others. */
export function otherKind(bytes: Uint8Array): OtherKind | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (isZip(bytes)) return file.includes('xl/workbook.xml') ? 'xlsx' : 'zip'
  const start = file.toString('utf8', 0, 100).replace(/^\uFEFF/, '')
  if (start.startsWith('%PDF-')) return 'pdf'
  return /^\s*BEGIN:VCALENDAR\b/i.test(start) ? 'ics' : null
}

/** The error for such a file. */
export class OtherFile extends ToolError {
  readonly kind: OtherKind
  constructor(kind: OtherKind) {
    const [what, hint] = KINDS[kind]
    super('invalid_argument', `The file is ${what}, which is not imported.`, { field: 'file', hint })
    this.kind = kind
  }
}
