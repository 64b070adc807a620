import { ToolError, type WriteContext } from 'tasuki/plugin'
import { settings, UPLOAD_MINUTES } from './settings.ts'

/** Creates the error for a file that exceeds the quota. */
export function quotaExceeded(ctx: WriteContext, size: number, left: number): ToolError {
  const { quota_bytes } = ctx.config(settings)
  const available = Math.max(0, left)
  return new ToolError('quota_exceeded', `The file needs ${size} bytes, and ${available} of ${quota_bytes} are left.`, {
    hint: 'Delete items with files that are no longer needed, or ask the operator for a higher quota_bytes.',
    details: { quota_bytes, available_bytes: available },
  })
}

/** Creates the error for an upload while too many others are incomplete. */
export function tooManyUploads(ctx: WriteContext): ToolError {
  const { pending_uploads: most } = ctx.config(settings)
  return new ToolError('limit_exceeded', `${most} uploads were begun and are not complete, which is the limit.`, {
    hint: `Send the bytes to the addresses that you have, or wait until they expire, ${UPLOAD_MINUTES} minutes after they were given.`,
    details: { limit: most },
  })
}
