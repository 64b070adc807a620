import { readCursor, ToolError, uuidBytes, uuidText, type ReadContext } from 'tasuki/plugin'

/** An item in a cursor. */
export interface Shown {
  readonly ownerId: string
  readonly number: number
}

/**
 * Where a search continues. Rankings change as items are written, so a ranked search stores the items shown so far, and the next page is
 * the best of the rest. A search by filters alone has a fixed order and stores only the last item.
 */
export type Cursor =
  | { readonly kind: 'shown'; readonly items: readonly Shown[] }
  | { readonly kind: 'after'; readonly itemId: string }

const KINDS = { shown: 1, after: 2 } as const

/** Encodes a cursor compactly, since models pay per character: the sorted numbers of an owner's items as deltas. */
export function toBytes(cursor: Cursor, me: string): Buffer {
  const bytes: number[] = [KINDS[cursor.kind]]
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
  return Buffer.from(bytes)
}

/** @throws ToolError invalid_argument for a cursor of another caller or another search */
export function openCursor(ctx: ReadContext, text: string, search: string): Cursor {
  const bytes = readCursor(ctx, search, text)
  const cursor = bytes && fromBytes(bytes, ctx.actor.userId)
  if (cursor) return cursor
  throw new ToolError('invalid_argument', 'The cursor is not one that query gave you for this q and mode.', {
    field: 'cursor',
    hint: 'Repeat q and mode with the next_cursor that they gave, or leave the cursor out to begin again.',
  })
}

/** Decodes a cursor; null for other bytes. */
export function fromBytes(bytes: Buffer, me: string): Cursor | null {
  let at = 1
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

function writeInteger(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}
