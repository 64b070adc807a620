import { totalmem } from 'node:os'

const MB = 1024 * 1024

/** Limits of a file that is parsed, by the memory that the process may use. */
export interface MemoryLimits {
  /** Heap of the thread in megabytes. */
  readonly heapMb: number
  /** Total size of the entries that are unpacked, in bytes: they are outside the heap. */
  readonly unpackedBytes: number
  readonly rows: number
  /** Values of a JSON text. V8 ends the whole process if `JSON.parse` meets the limit of the heap. */
  readonly jsonValues: number
}

/** Computes the limits: those of 4 GB, or a share; 512 MB is the least with which the service runs. */
export function limitsFor(memoryMb: number): MemoryLimits {
  const share = Math.min(1, Math.max(1 / 8, memoryMb / 4096))
  return {
    heapMb: 1024 * share,
    unpackedBytes: 200 * MB * share,
    rows: Math.max(200_000, 1_000_000 * share),
    jsonValues: Math.max(1_000_000, 4_000_000 * share),
  }
}

/** Zero = no limit is known. */
const constrained = process.constrainedMemory() || Infinity
export const MEMORY_LIMITS: MemoryLimits = limitsFor(Math.min(constrained, totalmem()) / MB)
