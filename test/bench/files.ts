import { randomBytes } from 'node:crypto'
import type { HttpCaller } from '../http-caller.ts'
import type { Server } from './processes.ts'

/** Uploads a file of hexadecimal digits, which cannot be compressed by more than half. */
export async function uploadFile(
  { origin, caller }: Pick<Server, 'origin'> & { readonly caller: HttpCaller },
  item: string,
  bytes: number,
): Promise<void> {
  const { upload_url } = await caller.call('attachments_upload', {
    parent_kind: 'item',
    parent_ref: item,
    filename: 'large.txt',
    mime_type: 'text/plain',
  })
  // The upload address has the origin that the service believes to have; only path and query are used.
  const { pathname, search } = new URL(upload_url)
  const { ok, status } = await fetch(`${origin}${pathname}${search}`, {
    method: 'PUT',
    body: randomBytes(bytes / 2).toString('hex'),
  })
  if (!ok) throw new Error(`an upload was answered ${status}`)
}
