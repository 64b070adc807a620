import { sql, ToolError, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import type { FileKey } from './links.ts'
import { settings } from './settings.ts'

/**
 * Lets one call at a time count and change what an owner keeps, until its transaction ends. A statement of its own: the count that
 * follows it has to see what the call before has committed.
 */
export async function lockQuota(ctx: WriteContext, ownerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`attachments ${ownerId}`}, 0))`.execute(ctx.db)
}

/** Bytes that an owner has left for a file, beside all other files and those that are being uploaded. */
export function bytesLeft(ctx: WriteContext, { ownerId, id }: FileKey): RawBuilder<number> {
  return sql`(
    select ${ctx.config(settings).quota_bytes}::bigint - coalesce(sum(o.size), 0) from attachments.attachments o
    where o.owner_id = ${ownerId} and o.id <> ${id} and (o.state = 'stored' or o.expires_at > ${ctx.now}))`
}

/** The refusal of a file for which there is no room. */
export function quotaExceeded(ctx: WriteContext, size: number, left: number, field?: string): ToolError {
  const { quota_bytes } = ctx.config(settings)
  const available = Math.max(0, left)
  return new ToolError('quota_exceeded', `The file needs ${size} bytes, and ${available} of ${quota_bytes} are left.`, {
    ...(field !== undefined && { field }),
    hint: 'Delete items with files that are no longer needed, or ask the operator for a higher quota_bytes.',
    details: { quota_bytes, available_bytes: available },
  })
}
