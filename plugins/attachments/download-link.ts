import type { ReadContext } from 'tasuki/plugin'
import { minutesFrom, signedLink, type FileKey } from './links.ts'
import { DOWNLOAD_MINUTES } from './settings.ts'

/** A short-lived address of a file that needs no credential. The caller has checked that the user may see the file. */
export function downloadLink(ctx: ReadContext, file: FileKey): { readonly url: string; readonly expiresAt: Date } {
  const expiresAt = minutesFrom(ctx, DOWNLOAD_MINUTES)
  return { url: signedLink(ctx.deployment, 'download', file, expiresAt), expiresAt }
}
