import type { All } from 'tasuki/plugin'
import type { ExportedItem } from '../exported.repository.ts'

/** What stands at the head of an export. */
export interface ExportHead {
  /** Name of the project, or the filter. */
  readonly title: string
  /** Instant, ISO 8601. */
  readonly at: string
  readonly total: number
}

/** How items are written; the text is the beginning, those of all items, and the end. */
export interface ExportFormat {
  /** Of the file, without the dot. */
  readonly extension: string
  readonly mediaType: string
  begin(all: All, head: ExportHead): string
  /** @param isFirst of the whole export */
  write(all: All, item: ExportedItem, isFirst: boolean): string
  end(): string
}
