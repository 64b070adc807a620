import type { ReadContext } from 'tasuki/plugin'
import { minutesFrom, signedLink, type FileKey } from './links.ts'
import { DOWNLOAD_MINUTES } from './settings.ts'

/** A short-lived address of a file that needs no credential, and serves the caller as long as they may see the file, which was checked. */
export function downloadLink(ctx: ReadContext, file: FileKey): { readonly url: string; readonly expiresAt: Date } {
  const expiresAt = minutesFrom(ctx, DOWNLOAD_MINUTES)
  const { userId } = ctx.actor
  const viewerId = userId === file.ownerId ? undefined : userId
  return { url: signedLink(ctx.deployment, 'download', { ...file, viewerId }, expiresAt), expiresAt }
}
