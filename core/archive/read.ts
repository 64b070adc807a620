import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Entry } from 'tar-stream'
import { HostError } from '../plugin/errors.ts'
import { ARCHIVE_FORMAT, CONTENTS, ContentsSchema, FormatSchema, MANIFEST, ManifestSchema } from './format.ts'
import type { Contents, ContentsEntry, Manifest } from './format.ts'

/** An entry between the first and the last one. The consumer must read its bytes before the next entry. */
export interface ArchiveEntry {
  readonly name: string
  readonly size: number
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Receives the manifest and the entries of an archive. */
export interface ArchiveReader {
  manifest(manifest: Manifest): Promise<void> | void
  entry(entry: ArchiveEntry): Promise<void>
}

/**
 * Reads a whole archive and verifies every entry against its digest.
 * @param compressed default true
 * @throws HostError if the archive is damaged, truncated or of a newer format
 */
export async function readArchive(source: Readable, reader: ArchiveReader, compressed = true): Promise<Contents> {
  const tar = extract()
  const piping = compressed ? pipeline(source, createGunzip({ chunkSize: 1 << 18 }), tar) : pipeline(source, tar)
  let failed: unknown = null
  piping.catch((error: unknown) => (failed ??= error))
  const readEntries: ContentsEntry[] = []
  let contents: Contents | null = null
  try {
    for await (const entry of tar) {
      const { name, size = 0 } = entry.header
      if (contents) throw damagedError('something follows its end')
      if (name === CONTENTS) {
        contents = parse(ContentsSchema, await textOf(entry), CONTENTS)
        continue
      }
      const digest = createHash('sha256')
      let bytes = 0
      const hashedBytes = (async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of entry as AsyncIterable<Buffer>) {
          digest.update(chunk)
          bytes += chunk.length
          yield chunk
        }
      })()
      if (readEntries.length === 0) {
        if (name !== MANIFEST) throw damagedError(`it does not begin with ${MANIFEST}`)
        await reader.manifest(readManifest(await textOf(hashedBytes)))
      } else await reader.entry({ name, size, bytes: hashedBytes })
      for await (const _ of hashedBytes);
      readEntries.push({ name, bytes, sha256: digest.digest('hex') })
    }
    await piping
  } catch (error) {
    source.destroy()
    // If the stream failed, its first error is the cause.
    const cause = failed ?? error
    if (error instanceof HostError || !isCorruptionError(cause)) throw error
    throw damagedError((cause as Error).message)
  }
  if (!contents) throw damagedError('it was cut short')
  compareEntries(readEntries, contents.entries)
  return contents
}

/** Reads all bytes of an entry as UTF-8 text. */
export async function textOf(bytes: AsyncIterable<Uint8Array> | Entry): Promise<string> {
  return (await buffer(bytes as AsyncIterable<Uint8Array>)).toString('utf8')
}

function compareEntries(seen: readonly ContentsEntry[], listed: readonly ContentsEntry[]): void {
  if (seen.length !== listed.length) throw damagedError(`it lists ${listed.length} entries, ${seen.length} are there`)
  for (const [n, { name, bytes, sha256 }] of seen.entries()) {
    const other = listed[n]!
    if (other.name !== name || other.bytes !== bytes || other.sha256 !== sha256)
      throw damagedError(`${name} was changed`)
  }
}

function readManifest(text: string): Manifest {
  const { format } = parse(FormatSchema, text, MANIFEST)
  if (format > ARCHIVE_FORMAT)
    throw new HostError(
      `the archive is of format ${format}, this program reads up to ${ARCHIVE_FORMAT}; nothing was changed: run a newer version of tasuki`,
    )
  return parse(ManifestSchema, text, MANIFEST)
}

function parse<S extends TSchema>(schema: S, text: string, name: string): Static<S> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw damagedError(`${name} is no JSON`)
  }
  const problem = Value.Errors(schema, value).First()
  if (problem) throw damagedError(`${name}${problem.path}: ${problem.message.toLowerCase()}`)
  return value
}

/** Recognizes the errors of zlib and the tar reader for corrupt input. Only their code or message identifies them. */
function isCorruptionError(error: unknown): boolean {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string }
  return code.startsWith('Z_') || /tar header|end of data|end of file|Unexpected end/i.test(message)
}

function damagedError(what: string): HostError {
  return new HostError(`the archive is damaged: ${what}; nothing was changed`)
}
