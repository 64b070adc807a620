import { totalmem } from 'node:os'

const MB = 1024 * 1024

/** Formats a limit for people. */
export const inMegabytes = (bytes: number): string => `${Math.round(bytes / MB)} MB`

/** Limits of a file that is parsed, by the memory that the process may use. */
export interface MemoryLimits {
  /** Heap of the thread in megabytes. */
  readonly heapMb: number
  /** Size of the file, or in total of the entries that are unpacked, in bytes: they are outside the heap, several times. */
  readonly bytes: number
  readonly rows: number
  /** Values of a JSON text. V8 ends the whole process if `JSON.parse` meets the limit of the heap. */
  readonly jsonValues: number
}

/** Memory that the service itself needs. */
const SERVICE_MB = 256

/** Computes the limits: those of 4 GB, or a share of what the service leaves of the memory; it runs with 512 MB or more. */
export function limitsFor(memoryMb: number): MemoryLimits {
  const share = Math.min(1, Math.max(256, memoryMb - SERVICE_MB) / (4096 - SERVICE_MB))
  return {
    heapMb: Math.round(1024 * share),
    bytes: Math.round(200 * MB * share),
    rows: Math.round(1_000_000 * share),
    jsonValues: Math.round(4_000_000 * share),
  }
}

/** Zero = no limit is known. */
const constrained = process.constrainedMemory() || Infinity
export const MEMORY_LIMITS: MemoryLimits = limitsFor(Math.min(constrained, totalmem()) / MB)
