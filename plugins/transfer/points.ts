import { definePoint } from 'tasuki/plugin'
import type { All, Expression, ReadContext, TSchema, WriteContext } from 'tasuki/plugin'
import type { Draft } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/** A file that is imported; at most a few ten megabytes. */
export interface ImportFile {
  readonly name: string
  /** Decoded: UTF-8 or UTF-16 with or without a byte order mark, else Shift_JIS. */
  readonly text: string
  /** Of an archive: its tables and JSON files, decoded alike; its own text is empty. */
  readonly entries?: readonly { readonly name: string; readonly text: string }[]
}

/**
 * What a file has of an item besides its own fields; plugins widen it by declaration merging, write theirs by `importParts`, and read
 * theirs by `exportParts`.
 */
export interface ImportedParts {
  readonly labels: readonly string[]
  /** Oldest first. */
  readonly comments: readonly {
    readonly author: string | null
    /** Instant, ISO 8601. */
    readonly at: string | null
    readonly body: string
    readonly kind?: string
  }[]
  readonly checklist: readonly { readonly content: string; readonly done: boolean }[]
  readonly estimate: string
  /** The numbers that people know the item by, as in `APP-12`. */
  readonly numbers: readonly { readonly prefix: string; readonly number: number }[]
}

/** An item as a format describes it: texts are as in the file, dates `YYYY-MM-DD`, instants ISO 8601. */
export interface ImportedItem {
  /** Where it begins in the file: a line, or a place in a list, from 1. */
  readonly line: number
  /** What identifies it in all exports of its source; an item is imported once. */
  readonly key: string
  /** `task`, `note` or `event`; default `task`. */
  readonly type?: string
  readonly title: string
  readonly detail?: string
  readonly status?: string
  /** Whether it is finished, where the source knows. */
  readonly closed?: boolean
  readonly priority?: string
  readonly kind?: string
  readonly dueDate?: string
  readonly dueTime?: string
  readonly startDate?: string
  readonly createdAt?: string
  readonly completedAt?: string
  /** When it was put away. */
  readonly archivedAt?: string
  /** Key of its parent. */
  readonly parent?: string
  /** Who wrote it and who works on it, as the source names them: texts, never accounts. */
  readonly author?: string
  readonly assignee?: string
  readonly parts: Partial<ImportedParts>
}

/** Something in the file that is not imported, or not as it is. */
export interface ImportProblem {
  readonly line: number
  readonly field: string
  readonly problem: string
}

/** What is in a file. */
export interface ImportContent {
  readonly items: readonly ImportedItem[]
  /** Rows that are no item. */
  readonly problems: readonly ImportProblem[]
  /** Columns or fields of the file that are left out. */
  readonly ignored: readonly string[]
  /** Of a table: the heads of its columns, with what each holds; null = it is left out. */
  readonly columns?: readonly { readonly head: string; readonly field: string | null }[]
}

/** What a format is read with besides the file. */
export interface ReadOptions {
  /** What plugins contribute. */
  readonly all: All
  /** Of a table: the heads of columns by what they hold, for example `Summary` by `title`. */
  readonly columns?: ReadonlyMap<string, string>
}

/** A format that files are imported from. */
export interface ImportFormat {
  /** Lower case word, for example `jira`. */
  readonly name: string
  /** Of tables: the fields that columns may be chosen for. */
  readonly fields?: readonly string[]
  /** Whether the file looks like this format; the first one that says so is taken. */
  matches(file: ImportFile): boolean
  /** @throws ToolError when the file as a whole cannot be read */
  read(file: ImportFile, options: ReadOptions): ImportContent
}
export const importFormats = definePoint<ImportFormat>('transfer.formats')

/** The part of one new item. */
export interface ImportedPart<T> {
  readonly draft: Draft
  readonly value: T
  /** Says that it was not written, or not as it is. */
  note(problem: string): void
}

/** Finds items of the source that are in the project by now. */
export interface ImportSource {
  /** @returns ids by key, of those that are imported */
  find(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** Writes what new items have of a plugin. */
export interface ImportPart<K extends keyof ImportedParts = keyof ImportedParts> {
  readonly of: K
  /** The form of its values: files are written by hand too, and what has another form is left out with a note. */
  readonly schema: TSchema
  /** Why a project takes none; null = it does. */
  refuse?(ctx: ReadContext, project: ProjectRow): string | null
  /** In the transaction of the items, after their rows; a few statements whatever their number. */
  write(
    ctx: WriteContext,
    project: ProjectRow,
    given: readonly ImportedPart<ImportedParts[K]>[],
    source: ImportSource,
  ): Promise<void>
}

const importPartsPoint = definePoint<ImportPart>('transfer.parts')
export const importParts = Object.assign(
  <K extends keyof ImportedParts>(part: ImportPart<K>) => importPartsPoint(part as unknown as ImportPart),
  { point: importPartsPoint },
)

/** What a plugin knows of items that are exported. */
export interface ExportPart<K extends keyof ImportedParts = keyof ImportedParts> {
  readonly of: K
  /** Scalar SQL (json) on the item `i`, its project `p` and its state `s`, within the one statement of a page; null = it has none. */
  sql(ctx: ReadContext): Expression<unknown>
  /** As the text of a cell, and back; without it tables leave it out. */
  readonly cell?: {
    write(value: ImportedParts[K]): string
    read(text: string): ImportedParts[K]
  }
  /** How Markdown has it: a `fact` in the list below the title, in one line, or a `section` after the body. */
  readonly markdown: {
    readonly as: 'fact' | 'section'
    readonly title: string
    write(value: ImportedParts[K]): string
  }
}

const exportPartsPoint = definePoint<ExportPart>('transfer.exportParts')
export const exportParts = Object.assign(
  <K extends keyof ImportedParts>(part: ExportPart<K>) => exportPartsPoint(part as unknown as ExportPart),
  { point: exportPartsPoint },
)

export { listCell } from './export/list-cell.ts'
export { quoted, readable } from './export/texts.ts'

/** An import of the portal that ended, for good or not. */
export interface EndedImport {
  readonly userId: string
  readonly id: string
  /** Name of the file. */
  readonly file: string
  readonly project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'> | null
  readonly state: 'done' | 'failed'
  readonly created: number
  readonly problems: number
}

/** Runs in the transaction in which an import of the portal ends, so that its user hears of it. */
export const importEnded = definePoint<(ctx: WriteContext, ended: EndedImport) => Promise<void>>('transfer.importEnded')

/** All points, for the plugin's declaration. */
export const points = [importFormats, importPartsPoint, exportPartsPoint, importEnded]
