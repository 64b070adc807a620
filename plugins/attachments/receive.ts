import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { HOUR_MS, ToolError, uuid } from 'tasuki/plugin'
import { folderOf } from './storage/choose.ts'

/**
 * Streams bytes into a local temporary file, so that nothing unfinished or unchecked reaches the storage.
 * Disposing the result deletes the file, unless the storage has taken it over.
 * @param refusal thrown as soon as more than `max` bytes arrive
 */
export async function receiveFile(
  deployment: { readonly dataDir: string },
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  max: number,
  refusal: ToolError,
) {
  const folder = incomingFolder(deployment)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, uuid())
  const remove = (): Promise<void> => rm(path, { force: true })
  try {
    await using file = await open(path, 'wx', 0o600)
    let size = 0
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > max) throw refusal
      await file.writeFile(chunk)
    }
    await file.sync()
    return { path, size, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

export function tooLarge(max: number, field?: string): ToolError {
  return new ToolError('limit_exceeded', `The file has more than ${max} bytes.`, {
    ...(field !== undefined && { field }),
    hint: 'Compress or split the file.',
    details: { max_bytes: max },
  })
}

/** Longer than the time limit of an upload, in milliseconds. */
const ABANDONED = HOUR_MS

/** Removes files of uploads that a killed process left behind. */
export async function deleteStaleUploads(deployment: { readonly dataDir: string }, now: Date): Promise<void> {
  const folder = incomingFolder(deployment)
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const entry = await stat(path).catch(() => null)
    if (entry && now.getTime() - entry.mtimeMs > ABANDONED) await rm(path, { force: true })
  }
}

export function incomingFolder(deployment: { readonly dataDir: string }): string {
  return join(folderOf(deployment), 'incoming')
}
