import { unzipSync } from 'fflate'
import { ToolError } from 'tasuki/worker'
import { inMegabytes, MEMORY_LIMITS } from './memory-limits.ts'

const MAX_ENTRIES = 2000

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04

/** Extracts the tables and JSON files of an archive; other files are skipped. @throws ToolError for an archive that cannot be read */
export function unzip(bytes: Uint8Array): readonly { readonly name: string; readonly bytes: Uint8Array }[] {
  let [size, count] = [0, 0]
  try {
    const entries = unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!/\.(csv|json)$/i.test(name)) return false
        size += originalSize
        count++
        if (size > MEMORY_LIMITS.bytes || count > MAX_ENTRIES)
          throw new RangeError(`unpacked, it has more than ${inMegabytes(MEMORY_LIMITS.bytes)} or ${MAX_ENTRIES} files`)
        return true
      },
    })
    return Object.entries(entries).map(([name, content]) => ({ name, bytes: content }))
  } catch (error) {
    throw new ToolError('invalid_argument', `The archive cannot be read: ${(error as Error).message}`, {
      field: 'file',
      hint: 'Export it again, or unpack it and give one of its files.',
    })
  }
}
