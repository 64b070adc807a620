import type { ReadContext } from 'tasuki/plugin'
import { minutesFrom, signLink, type FileKey } from './links.ts'
import { DOWNLOAD_MINUTES } from './settings.ts'

/**
 * Creates a short-lived download URL that needs no credential. The caller's access was checked; the URL stops working when the caller loses
 * it.
 */
export function downloadLink(ctx: ReadContext, file: FileKey): { readonly url: string; readonly expiresAt: Date } {
  const expiresAt = minutesFrom(ctx, DOWNLOAD_MINUTES)
  const { userId, credentialId } = ctx.actor
  const viewerId = userId === file.ownerId ? undefined : userId
  const asked = { ...file, viewerId, credentialId: credentialId ?? undefined }
  return { url: signLink(ctx.deployment, 'download', asked, expiresAt), expiresAt }
}
