import { Type, type Static } from '@sinclair/typebox'

/** Raised when an older program could not read what is written. */
export const ARCHIVE_FORMAT = 1

/** First entry: what the archive is, which tells whether it can be read before anything of it is. */
export const MANIFEST = 'manifest.json'
/** Last entry: all others with their digests, so that one that was cut short is known. */
export const CONTENTS = 'contents.json'
/** Jobs that were waiting. */
export const JOBS = 'jobs.jsonl'

/** What a manifest of any format has. */
export const FormatSchema = Type.Object({ format: Type.Integer() })

export const ManifestSchema = Type.Object({
  format: Type.Integer(),
  /** A backup is everything; an export is what one user has. */
  kind: Type.Union([Type.Literal('backup'), Type.Literal('export')]),
  /** Version of the program that wrote it. */
  version: Type.String(),
  created_at: Type.String(),
  engine: Type.String(),
  /** Tells secrets apart: what is sealed can be opened only with the one that it was made with. */
  key: Type.String(),
  /** Migrations that had run, as `plugin/0001_init`. */
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
  /** Files that had gone from the storage. */
  missing: Type.Array(Type.String()),
})
export type Contents = Static<typeof ContentsSchema>
export type ContentsEntry = Contents['entries'][number]

/** A table is in parts, because an entry of a tar begins with its size. */
export function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(6, '0')}.jsonl`
}

/** The table of a part; null where an entry is something else. */
export function tableOfPart(name: string): string | null {
  return /^tables\/([^/]+)\/\d+\.jsonl$/.exec(name)?.[1] ?? null
}

export function fileName(plugin: string, key: string): string {
  return `files/${plugin}/${key}`
}

/** Plugin and key of a file; null where an entry is something else. */
export function fileOfEntry(name: string): { readonly plugin: string; readonly key: string } | null {
  const [, plugin, key] = /^files\/([^/]+)\/(.+)$/.exec(name) ?? []
  return plugin !== undefined && key !== undefined ? { plugin, key } : null
}

/** Bytes of a file that is held in memory until its turn; larger ones are streamed. */
export const HELD_BYTES = 1_000_000
