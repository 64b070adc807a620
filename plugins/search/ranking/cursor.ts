import { createHash } from 'node:crypto'
import { ToolError } from 'tasuki/plugin'

/** An item as a cursor knows it. */
export interface Shown {
  readonly ownerId: string
  readonly number: number
}

/**
 * Where a search goes on. Rankings move as items are written, so a ranked search remembers what it has shown: the next page is the best
 * of the rest. A search by filters alone remembers the last item, for its order never changes.
 */
export type Cursor =
  | { readonly kind: 'shown'; readonly items: readonly Shown[] }
  | { readonly kind: 'after'; readonly itemId: string }

const KINDS = { shown: 1, after: 2 } as const

/**
 * As short as can be, for models pay for every character: the numbers of an owner's items, sorted, each as its distance to the one before.
 * @param search what the cursor belongs to
 */
export function writeCursor(cursor: Cursor, search: string, me: string): string {
  const bytes = [KINDS[cursor.kind], ...digest(search)]
  if (cursor.kind === 'after') bytes.push(...uuidBytes(cursor.itemId))
  else {
    const byOwner = Map.groupBy(cursor.items, item => item.ownerId)
    for (const [ownerId, items] of byOwner) {
      bytes.push(...(ownerId === me ? [0] : [1, ...uuidBytes(ownerId)]))
      writeInteger(bytes, items.length)
      let last = 0
      for (const number of items.map(item => item.number).toSorted((a, b) => a - b)) {
        writeInteger(bytes, number - last)
        last = number
      }
    }
  }
  return Buffer.from(bytes).toString('base64url')
}

/** @throws ToolError invalid_argument for a cursor of another search */
export function readCursor(text: string, search: string, me: string): Cursor {
  const bytes = Buffer.from(text, 'base64url')
  const cursor = bytes.toString('base64url') === text ? parse(bytes, me) : null
  if (!cursor) throw cursorError('The cursor is not one that query gave.')
  if (!bytes.subarray(1, 5).equals(digest(search))) throw cursorError('The cursor belongs to another query or mode.')
  return cursor
}

function cursorError(message: string): ToolError {
  return new ToolError('invalid_argument', message, {
    field: 'cursor',
    hint: 'Repeat q and mode with the next_cursor that they gave, or leave the cursor out to begin again.',
  })
}

function parse(bytes: Buffer, me: string): Cursor | null {
  let at = 5
  const uuid = (): string | null => (at + 16 <= bytes.length ? uuidText(bytes.subarray(at, (at += 16))) : null)
  const integer = (): number | null => {
    let value = 0
    for (let factor = 1; at < bytes.length && factor <= 2 ** 28; factor *= 128) {
      const byte = bytes[at++]!
      value += (byte & 127) * factor
      if (byte < 128) return value <= 2_147_483_647 ? value : null
    }
    return null
  }
  if (bytes[0] === KINDS.after) {
    const itemId = uuid()
    return itemId !== null && at === bytes.length ? { kind: 'after', itemId } : null
  }
  if (bytes[0] !== KINDS.shown) return null
  const items: Shown[] = []
  while (at < bytes.length) {
    const ownerId = bytes[at++] === 0 ? me : uuid()
    const count = integer()
    if (ownerId === null || count === null || count > bytes.length) return null
    for (let n = 0, number = 0; n < count; n++) {
      const distance = integer()
      if (distance === null) return null
      items.push({ ownerId, number: (number += distance) })
    }
  }
  return { kind: 'shown', items }
}

function digest(search: string): Buffer {
  return createHash('sha256').update(search).digest().subarray(0, 4)
}

function writeInteger(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}

function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
