import { createHmac } from 'node:crypto'
import type { ReadContext } from './context.ts'

const TAG_BYTES = 4

/**
 * Makes the cursor of a place in a list: text that only the same caller can use, and only with the same request.
 * @param request everything of the request that decides which rows come in which order
 */
export function writeCursor(ctx: ReadContext, request: string, place: Uint8Array): string {
  return Buffer.concat([tagOf(ctx, request, place), place]).toString('base64url')
}

/** The place of a cursor; null for text that `writeCursor` did not make for this caller and request. */
export function readCursor(ctx: ReadContext, request: string, text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  const place = bytes.subarray(TAG_BYTES)
  const isOurs = bytes.toString('base64url') === text && bytes.subarray(0, TAG_BYTES).equals(tagOf(ctx, request, place))
  return isOurs ? place : null
}

function tagOf({ deployment, actor }: ReadContext, request: string, place: Uint8Array): Buffer {
  const mac = createHmac('sha256', deployment.key('cursors'))
  return mac
    .update(JSON.stringify([actor.userId, request]))
    .update(place)
    .digest()
    .subarray(0, TAG_BYTES)
}
