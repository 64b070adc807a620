import { definePoint } from 'tasuki/worker'
import type { All, Expression, ReadContext, TSchema, WriteContext } from 'tasuki/plugin'
import type { Draft } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/** A file to import; at most some tens of megabytes. */
export interface ImportFile {
  readonly name: string
  /** Decoded: UTF-8 or UTF-16 with or without a byte order mark, else Shift_JIS. */
  readonly text: string
  /** For an archive: its tables and JSON files, decoded in the same way; its own text is empty. */
  readonly entries?: readonly { readonly name: string; readonly text: string }[]
}

/**
 * Parts of an item in a file besides its own fields. Plugins extend the type by declaration merging, write their part by `importParts`, and
 * read it by `exportParts`.
 */
export interface ImportedParts {
  readonly labels: readonly string[]
  /** Oldest first. */
  readonly comments: readonly {
    readonly author: string | null
    /** ISO 8601. */
    readonly at: string | null
    readonly body: string
    readonly kind?: string
  }[]
  readonly checklist: readonly { readonly content: string; readonly done: boolean }[]
  readonly estimate: string
  /** Display numbers of the item, such as `APP-12`. */
  readonly numbers: readonly { readonly prefix: string; readonly number: number }[]
}

/** An item as read by a format: texts as in the file, dates `YYYY-MM-DD`, times ISO 8601. */
export interface ImportedItem {
  /** Start of the item in the file: a line, or an index in a list, from 1. */
  readonly line: number
  /** The item's key in all exports of its source; each key is imported once. */
  readonly key: string
  /** `task`, `note` or `event`; default `task`. */
  readonly type?: string
  readonly title: string
  readonly detail?: string
  readonly status?: string
  /** Whether the item is finished, if the source has this. */
  readonly closed?: boolean
  readonly priority?: string
  readonly kind?: string
  readonly dueDate?: string
  readonly dueTime?: string
  readonly startDate?: string
  readonly createdAt?: string
  readonly completedAt?: string
  /** When the item was archived; empty if only that is known. */
  readonly archivedAt?: string
  /** Key of the parent. */
  readonly parent?: string
  /** Author and assignee as named in the source: texts, never accounts. */
  readonly author?: string
  readonly assignee?: string
  readonly parts: Partial<ImportedParts>
}

/** A value in the file that is not imported, or not unchanged. */
export interface ImportProblem {
  readonly line: number
  readonly field: string
  readonly problem: string
}

/** The content of a file. */
export interface ImportContent {
  /** A list, or a generator, which lets the service answer others between its items. */
  readonly items: Iterable<ImportedItem>
  /** Rows that are not items. */
  readonly problems: readonly ImportProblem[]
  /** Columns or fields of the file that are ignored. */
  readonly ignored: readonly string[]
  /** For a table: the column names with their fields; null = ignored. */
  readonly columns?: readonly { readonly head: string; readonly field: string | null }[]
}

/** The options of a format. */
export interface ReadOptions {
  /** The contributions of plugins; none for formats of this plugin, which read large files in a worker thread. */
  readonly all: All
  /** For a table: column names by field, for example `Summary` by `title`. */
  readonly columns?: ReadonlyMap<string, string>
}

/** A format of import files. */
export interface ImportFormat {
  /** Lower case word, for example `jira`. */
  readonly name: string
  /** For tables: the fields to which columns can be mapped. */
  readonly fields?: readonly string[]
  /** Returns whether the file looks like this format; the first match is used. */
  matches(file: ImportFile): boolean
  /** @throws ToolError if the whole file cannot be read */
  read(file: ImportFile, options: ReadOptions): ImportContent
  /** Completes each item with contributions of plugins, which `read` lacks in a worker thread. */
  finish?(all: All): (item: ImportedItem) => ImportedItem
}
export const importFormats = definePoint<ImportFormat>('transfer.formats', {
  requires: ['matches', 'read'],
  unique: 'name',
})

/** The part of one new item. */
export interface ImportedPart<T> {
  readonly draft: Draft
  /** Without characters that the database rejects. */
  readonly value: T
  /** Reports that the part was not written, or not unchanged. */
  note(problem: string): void
}

/** Finds items of the source that are already in the project. */
export interface ImportSource {
  /** @returns the ids of imported items by key */
  find(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** Writes a plugin's part of new items. */
export interface ImportPart<K extends keyof ImportedParts = keyof ImportedParts> {
  readonly of: K
  /** The schema of its values: files are also written by hand, and other values are left out with a note. */
  readonly schema: TSchema
  /** A further type of items, which are imported only with this part. */
  readonly type?: string
  /**
   * Returns the items that an item with the part stands for, such as a task and the template that repeats it. A dry run calls it too.
   * @param note reports what is left out of the item
   */
  expand?(
    ctx: ReadContext,
    item: ImportedItem,
    value: ImportedParts[K],
    note: (problem: string) => void,
  ): readonly ImportedItem[]
  /** Returns why a project does not accept the part, or null. */
  refuse?(ctx: ReadContext, project: ProjectRow): string | null
  /** Returns why a project does not accept this value of the schema, or null, so that the preview of an import can tell. */
  refuseValue?(project: ProjectRow, value: ImportedParts[K]): string | null
  /** Runs in the transaction of the items, after their rows, in a constant number of statements. */
  write(
    ctx: WriteContext,
    project: ProjectRow,
    parts: readonly ImportedPart<ImportedParts[K]>[],
    source: ImportSource,
  ): Promise<void>
}

const importPartsPoint = definePoint<ImportPart>('transfer.parts', { requires: ['schema', 'write'], unique: 'of' })
export const importParts = Object.assign(
  <K extends keyof ImportedParts>(part: ImportPart<K>) => importPartsPoint(part as unknown as ImportPart),
  { point: importPartsPoint },
)

/** A plugin's part of exported items. */
export interface ExportPart<K extends keyof ImportedParts = keyof ImportedParts> {
  readonly of: K
  /** Scalar SQL (json) on the item `i`, its project `p` and its state `s`, within the single statement of a page; null = none. */
  sql(ctx: ReadContext): Expression<unknown>
  /** Converts the part to the text of a cell and back; without it, tables omit the part. */
  readonly cell?: {
    write(value: ImportedParts[K]): string
    read(text: string): ImportedParts[K]
  }
  /** The form in Markdown: a `fact` in the list below the title, in one line, or a `section` after the body. */
  readonly markdown: {
    readonly as: 'fact' | 'section'
    readonly title: string
    write(value: ImportedParts[K]): string
  }
}

const exportPartsPoint = definePoint<ExportPart>('transfer.exportParts', {
  requires: ['sql', 'markdown'],
  unique: 'of',
})
export const exportParts = Object.assign(
  <K extends keyof ImportedParts>(part: ExportPart<K>) => exportPartsPoint(part as unknown as ExportPart),
  { point: exportPartsPoint },
)

type Entry<K extends keyof ImportedParts> = ImportedParts[K] extends readonly (infer E)[] ? E : never

/** A section of Markdown with a line for each entry: `listSection<'attachments'>('Files', ({ filename }) => filename)`. */
export function listSection<K extends keyof ImportedParts>(title: string, line: (entry: Entry<K>) => string) {
  const write = (entries: ImportedParts[K]): string =>
    (entries as readonly Entry<K>[]).map(entry => `- ${line(entry)}`).join('\n')
  return { as: 'section' as const, title, write }
}

export { listCell } from './export/list-cell.ts'
export { quoted, readable } from './export/texts.ts'

/** An import of the portal that ended, successfully or not. */
export interface EndedImport {
  readonly userId: string
  readonly id: string
  /** File name. */
  readonly file: string
  readonly project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'> | null
  readonly state: 'done' | 'failed'
  readonly created: number
  readonly problems: number
}

/** Called in the transaction in which an import of the portal ends, to notify its user. */
export const importEnded = definePoint<(ctx: WriteContext, ended: EndedImport) => Promise<void>>('transfer.importEnded')

/** All extension points, for the plugin's declaration. */
export const points = [importFormats, importPartsPoint, exportPartsPoint, importEnded]
