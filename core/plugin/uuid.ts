import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const BYTES = 16
// Random bytes are generated in bulk, because a system call per id would take longer than the rest of a small call.
const pool = new Uint8Array(256 * BYTES)
let used = pool.length
let msecs = 0
let sequence = 0

/** Generates a UUID version 7 (RFC 9562). UUIDs of one process increase, also within a millisecond. */
export function uuid(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, (used += BYTES))
  const now = Date.now()
  if (now > msecs) {
    msecs = now
    // 31 random bits, which leaves room to count up.
    sequence = ((random[6]! & 0x7f) << 24) | (random[7]! << 16) | (random[8]! << 8) | random[9]!
  } else {
    sequence = (sequence + 1) | 0
    if (sequence === 0) msecs++
  }
  return v7({ random, msecs, seq: sequence })
}

/** Returns whether a text is a UUID of any version, in upper or lower case. */
export function isUuid(text: string): boolean {
  return PATTERN.test(text)
}

/** Converts a UUID to its 16 bytes. */
export function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

/** Converts 16 bytes to a UUID. */
export function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
