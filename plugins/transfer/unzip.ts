import { buffer } from 'node:stream/consumers'
import { ToolError } from 'tasuki/worker'
import { fromBufferPromise } from 'yauzl'
import { inMegabytes, MEMORY_LIMITS } from './memory-limits.ts'

const MAX_ENTRIES = 2000

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04

interface Entry {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Extracts the tables and JSON files of an archive; other files are skipped. @throws ToolError for an archive that cannot be read */
export async function unzip(bytes: Uint8Array): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let size = 0
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
      lazyEntries: true,
    })
    for await (const entry of zip.eachEntry()) {
      if (!/\.(csv|json)$/i.test(entry.fileName)) continue
      // The library stops at an entry that unpacks to more than it declares.
      size += entry.uncompressedSize
      if (size > MEMORY_LIMITS.bytes || entries.length >= MAX_ENTRIES)
        throw new RangeError(`unpacked, it has more than ${inMegabytes(MEMORY_LIMITS.bytes)} or ${MAX_ENTRIES} files`)
      entries.push({ name: entry.fileName, bytes: await buffer(await zip.openReadStreamPromise(entry)) })
    }
  } catch (error) {
    throw new ToolError('invalid_argument', `The archive cannot be read: ${(error as Error).message}`, {
      field: 'file',
      hint: 'Export it again, or unpack it and give one of its files.',
    })
  }
  return entries
}
