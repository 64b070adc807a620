import type { ReadContext } from 'tasuki/plugin'
import { minutesFrom, signedLink, type FileKey } from './links.ts'
import { DOWNLOAD_MINUTES } from './settings.ts'

/** A short-lived address of a file for whoever has it; the caller's right to see it was checked. */
export function downloadLink(ctx: ReadContext, file: FileKey): { readonly url: string; readonly expiresAt: Date } {
  const expiresAt = minutesFrom(ctx, DOWNLOAD_MINUTES)
  return { url: signedLink(ctx.deployment, 'download', file, expiresAt), expiresAt }
}
