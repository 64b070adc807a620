import { Type, type Static } from '@sinclair/typebox'

/** Version of the archive format. Increase it when an older program could not read the new archives. */
export const ARCHIVE_FORMAT = 1

/** Name of the first entry. A reader decides from it whether it can load the archive. */
export const MANIFEST = 'manifest.json'
/** Name of the last entry. It lists the digests of all other entries, so that a truncated archive is detected. */
export const CONTENTS = 'contents.json'
/** Name of the entry with the pending jobs. */
export const JOBS = 'jobs.jsonl'

/** The part of the manifest that every format version has. */
export const FormatSchema = Type.Object({ format: Type.Integer() })

export const ManifestSchema = Type.Object({
  format: Type.Integer(),
  /** A backup contains all data; an export contains the data of one user. */
  kind: Type.Union([Type.Literal('backup'), Type.Literal('export')]),
  /** Version of the program that wrote the archive. */
  version: Type.String(),
  created_at: Type.String(),
  engine: Type.String(),
  /** Identifies the secret that sealed values were encrypted with; only the same secret decrypts them. */
  key: Type.String(),
  /** Migrations of the source database, as `plugin/0001_init`. */
  migrations: Type.Array(Type.String()),
  plugins: Type.Array(Type.Object({ name: Type.String(), version: Type.String(), enabled: Type.Boolean() })),
  tables: Type.Array(Type.Object({ name: Type.String(), columns: Type.Array(Type.String()) })),
  user: Type.Optional(Type.Object({ id: Type.String(), email: Type.String() })),
})
export type Manifest = Static<typeof ManifestSchema>

export const ContentsSchema = Type.Object({
  entries: Type.Array(
    Type.Object({
      name: Type.String(),
      bytes: Type.Integer(),
      sha256: Type.String(),
      rows: Type.Optional(Type.Integer()),
    }),
  ),
  /** Files that the database lists but the storage no longer had. */
  missing: Type.Array(Type.String()),
})
export type Contents = Static<typeof ContentsSchema>
export type ContentsEntry = Contents['entries'][number]

/** Name of one part of a table. A table is split because the header of a tar entry contains the size of the entry. */
export function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(6, '0')}.jsonl`
}

/** Returns the table that an entry belongs to, or null if the entry is not part of a table. */
export function tableOfPart(name: string): string | null {
  return /^tables\/([^/]+)\/\d+\.jsonl$/.exec(name)?.[1] ?? null
}

export function fileName(plugin: string, key: string): string {
  return `files/${plugin}/${key}`
}

/** Returns the plugin and key of a file entry, or null if the entry is not a file. */
export function fileOfEntry(name: string): { readonly plugin: string; readonly key: string } | null {
  const [, plugin, key] = /^files\/([^/]+)\/(.+)$/.exec(name) ?? []
  return plugin !== undefined && key !== undefined ? { plugin, key } : null
}

/** Files up to this size in bytes are buffered in memory; larger ones are streamed. */
export const HELD_BYTES = 1_000_000
