import type { All } from 'tasuki/plugin'
import type { ExportedItem } from '../exported.repository.ts'

/** The header of an export. */
export interface ExportHead {
  /** Name of the project, or the filter. */
  readonly title: string
  /** Time of the export, ISO 8601. */
  readonly at: string
  readonly total: number
}

/** Writes items; the text consists of the beginning, all items and the end. */
export interface ExportFormat {
  /** File extension without the dot. */
  readonly extension: string
  readonly mediaType: string
  begin(all: All, head: ExportHead): string
  /** @param isFirst whether the item is the first of the export */
  write(all: All, item: ExportedItem, isFirst: boolean): string
  end(): string
}
