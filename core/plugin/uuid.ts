import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const BYTES = 16
// Drawn in bulk: asking the system for each id costs more than everything else that a small call does.
const pool = new Uint8Array(256 * BYTES)
let used = pool.length
let msecs = 0
let sequence = 0

/** A new UUID of version 7 (RFC 9562); those of one process rise, within a millisecond too. */
export function uuid(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, (used += BYTES))
  const now = Date.now()
  if (now > msecs) {
    msecs = now
    // 31 bits of chance, so that there is room to count up.
    sequence = ((random[6]! & 0x7f) << 24) | (random[7]! << 16) | (random[8]! << 8) | random[9]!
  } else {
    sequence = (sequence + 1) | 0
    if (sequence === 0) msecs++
  }
  return v7({ random, msecs, seq: sequence })
}

/** True for a UUID of any version, in any case. */
export function isUuid(text: string): boolean {
  return PATTERN.test(text)
}

/** The 16 bytes of a UUID. */
export function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

/** The UUID of 16 bytes. */
export function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
