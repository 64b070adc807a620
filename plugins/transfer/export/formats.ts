import { csvFormat } from './csv.ts'
import type { ExportFormat } from './format.ts'
import { jsonFormat } from './json.ts'
import { markdownFormat } from './markdown.ts'

export const EXPORT_FORMATS = ['csv', 'json', 'markdown'] as const
export type ExportFormatName = (typeof EXPORT_FORMATS)[number]

export const exportFormats: Readonly<Record<ExportFormatName, ExportFormat>> = {
  csv: csvFormat,
  json: jsonFormat,
  markdown: markdownFormat,
}
