import { createHmac } from 'node:crypto'
import type { ReadContext } from './context.ts'

const TAG_BYTES = 4

/**
 * Encodes a position in a list as a cursor, which is valid only for the same caller and request.
 * @param request everything in the request that determines which rows are returned in which order
 */
export function writeCursor(ctx: ReadContext, request: string, place: Uint8Array): string {
  return Buffer.concat([tagOf(ctx, request, place), place]).toString('base64url')
}

/** Decodes a cursor to its position; null if `writeCursor` did not create it for this caller and request. */
export function readCursor(ctx: ReadContext, request: string, text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  const place = bytes.subarray(TAG_BYTES)
  const isValid =
    bytes.toString('base64url') === text && bytes.subarray(0, TAG_BYTES).equals(tagOf(ctx, request, place))
  return isValid ? place : null
}

function tagOf({ deployment, actor }: ReadContext, request: string, place: Uint8Array): Buffer {
  return createHmac('sha256', deployment.key('cursors'))
    .update(JSON.stringify([actor.userId, request]))
    .update(place)
    .digest()
    .subarray(0, TAG_BYTES)
}
