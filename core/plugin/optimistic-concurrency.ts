import { clip } from './clip.ts'
import type { ReadContext } from './context.ts'
import { ToolError } from './errors.ts'

/** Characters that the error keeps of each text: a call on 25 items would otherwise repeat 25 bodies. */
const TEXT_MOST = 500

/**
 * Rejects the write of a record that changed after `_meta.ifUpdatedAt`. Every tool that writes a record with `updated_at` must call it.
 * @param what the record in words, for example `The sprint One`
 * @param current the current record, which the error returns to the caller with long texts cut
 * @throws ToolError stale_write
 */
export function requireUnchanged(
  ctx: Pick<ReadContext, 'call'>,
  what: string,
  current: Readonly<Record<string, unknown>> & { readonly updated_at: string },
): void {
  const { ifUpdatedAt } = ctx.call
  if (ifUpdatedAt === null || Date.parse(current.updated_at) <= Date.parse(ifUpdatedAt)) return
  const shown = Object.entries(current).map(([name, value]): [string, unknown] =>
    typeof value === 'string' ? [name, clip(value, TEXT_MOST)] : [name, value],
  )
  const cut = shown.flatMap(([name, value]) => (value === current[name] ? [] : name))
  const look = `Look at the current values${cut.length > 0 ? `, and read ${cut.join(', ')} whole` : ''}`
  throw new ToolError('stale_write', `${what} was changed at ${current.updated_at}, after the version that you read.`, {
    field: '_meta.ifUpdatedAt',
    hint: `${look}, then send your change again with the new updated_at.`,
    details: { current: Object.fromEntries(shown) },
  })
}
