import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Headers, type Pack } from 'tar-stream'
import type { Captured, ReadRows } from '../db/snapshot.repository.ts'
import { HostError } from '../plugin/errors.ts'
import type { ArchivedFiles } from '../plugin/plugin.ts'
import { CONTENTS, fileName, HELD_BYTES, JOBS, MANIFEST, partName } from './format.ts'
import type { ContentsEntry, Manifest } from './format.ts'
import type { WaitingJob } from './tables.repository.ts'

/** Content of an archive, captured in one snapshot. */
export interface ArchiveSource extends Captured {
  readonly manifest: Manifest
  readonly jobs: readonly WaitingJob[]
  readonly files: readonly StoredFiles[]
}

/** The files of one plugin that are included. */
export interface StoredFiles {
  readonly plugin: string
  readonly storage: ArchivedFiles
  readonly list: readonly FileEntry[]
}

interface FileEntry {
  readonly key: string
  readonly size: number
}

/** Summary of a written archive. */
export interface WriteSummary {
  readonly rows: number
  readonly files: number
  /** Size before compression. */
  readonly bytes: number
  readonly missing: readonly string[]
}

/** Size of the rows in one part of a table. */
const PART_BYTES = 1_000_000
/** Most of the content is numbers of vectors. A higher level takes twice as long and saves 5%. */
const GZIP = { level: 2, chunkSize: 1 << 18 }

/** Writes an archive as a stream, so that memory is limited by the largest row. @param compressed default true */
export async function writeArchive(
  source: ArchiveSource,
  readRows: ReadRows,
  target: Writable,
  compressed = true,
): Promise<WriteSummary> {
  const tar = pack()
  const piping = compressed ? pipeline(tar, joinChunks, createGzip(GZIP), target) : pipeline(tar, joinChunks, target)
  // If the target fails, an entry is never drained and `write` never settles.
  const targetFailed = new Promise<never>((_, fail) => void piping.catch(fail))
  const write = async (): Promise<WriteSummary> => {
    const summary = await writeEntries(source, readRows, tar)
    tar.finalize()
    await piping
    return summary
  }
  return Promise.race([write(), targetFailed]).catch((error: unknown) => {
    tar.destroy()
    throw error
  })
}

const JOINED_BYTES = 1 << 18

/** Joins small chunks into large ones, because each chunk is a separate call of the compressor. */
async function* joinChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let batch: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    batch.push(chunk)
    bytes += chunk.length
    if (bytes < JOINED_BYTES) continue
    yield Buffer.concat(batch, bytes)
    batch = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(batch, bytes)
}

async function writeEntries(source: ArchiveSource, readRows: ReadRows, tar: Pack): Promise<WriteSummary> {
  const { manifest, tables, jobs, files } = source
  const mtime = new Date(manifest.created_at)
  const entries: ContentsEntry[] = []
  const missing: string[] = []
  let fileCount = 0
  const add = async (name: string, text: string, rows?: number): Promise<void> => {
    const body = Buffer.from(text)
    await addBuffer(tar, { name, mtime, mode: 0o600 }, body)
    const sha256 = createHash('sha256').update(body).digest('hex')
    entries.push({ name, bytes: body.length, sha256, ...(rows !== undefined && { rows }) })
  }
  await add(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`)
  for (const table of tables) {
    let part = 0
    let lines: string[] = []
    let length = 0
    const flush = async (): Promise<void> => {
      await add(partName(table.name, ++part), `${lines.join('\n')}\n`, lines.length)
      lines = []
      length = 0
    }
    for await (const rows of readRows(table)) {
      for (const row of rows) {
        lines.push(row)
        length += row.length
        if (length >= PART_BYTES) await flush()
      }
    }
    if (lines.length > 0) await flush()
  }
  if (jobs.length > 0) await add(JOBS, jobs.map(job => `${JSON.stringify(job)}\n`).join(''), jobs.length)
  for (const { plugin, storage, list } of files) {
    for await (const { key, size, bytes } of readFiles(storage, list)) {
      const name = fileName(plugin, key)
      if (bytes === null) {
        missing.push(name)
        continue
      }
      entries.push({ name, bytes: size, sha256: await addStream(tar, { name, size, mtime, mode: 0o600 }, bytes) })
      fileCount++
    }
  }
  const contents = Buffer.from(`${JSON.stringify({ entries, missing })}\n`)
  await addBuffer(tar, { name: CONTENTS, mtime, mode: 0o600 }, contents)
  return {
    rows: entries.reduce((sum, { name, rows = 0 }) => sum + (name === JOBS ? 0 : rows), 0),
    files: fileCount,
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    missing,
  }
}

const MAX_CONCURRENT = 16

interface OpenFile extends FileEntry {
  /** Null if the storage no longer has the file. */
  readonly bytes: AsyncIterable<Uint8Array> | null
}

/** Reads the listed files in order. Small files are read concurrently, because each read waits for the disk or for a server. */
export async function* readFiles(storage: ArchivedFiles, list: readonly FileEntry[]): AsyncGenerator<OpenFile> {
  const pending: Promise<OpenFile>[] = []
  const read = async ({ key, size }: FileEntry): Promise<OpenFile> => {
    const bytes = await storage.read(key, size)
    if (bytes === null || size > HELD_BYTES) return { key, size, bytes }
    return { key, size, bytes: Readable.from([await buffer(bytes)]) }
  }
  for (const file of list) {
    // A streamed file is opened only when it is next.
    if (file.size > HELD_BYTES) {
      for (const each of pending.splice(0)) yield await each
      yield await read(file)
      continue
    }
    const reading = read(file)
    // The error is thrown where the promise is awaited.
    reading.catch(ignoreError)
    pending.push(reading)
    if (pending.length >= MAX_CONCURRENT) yield await pending.shift()!
  }
  for (const each of pending) yield await each
}

/** An entry reports an error both to its callback and as an event; the event needs a listener. */
const ignoreError = (): void => undefined

function addBuffer(tar: Pack, header: Headers, body: Buffer): Promise<void> {
  return new Promise((done, fail) => {
    tar.entry({ ...header, size: body.length }, body, error => (error ? fail(error) : done())).on('error', ignoreError)
  })
}

/** @returns the SHA-256 digest, hex */
async function addStream(
  tar: Pack,
  header: Headers & { size: number },
  bytes: AsyncIterable<Uint8Array>,
): Promise<string> {
  const digest = createHash('sha256')
  const ended = Promise.withResolvers<void>()
  const entry = tar.entry(header, error => (error ? ended.reject(error) : ended.resolve()))
  entry.on('error', ignoreError)
  ended.promise.catch(ignoreError)
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > header.size) break
    digest.update(chunk)
    if (!entry.write(chunk)) await once(entry, 'drain')
  }
  if (size !== header.size)
    throw new HostError(`the file ${header.name} does not have the ${header.size} bytes that it should have`)
  entry.end()
  await ended.promise
  return digest.digest('hex')
}
