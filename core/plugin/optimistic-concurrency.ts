import type { ReadContext } from './context.ts'
import { ToolError } from './errors.ts'

/**
 * Rejects the write of a record that changed after `_meta.ifUpdatedAt`. Every tool that writes a record with `updated_at` must call it.
 * @param what the record in words, for example `The sprint One`
 * @param current the current record, which the error returns to the caller
 * @throws ToolError stale_write
 */
export function requireUnchanged(
  ctx: Pick<ReadContext, 'call'>,
  what: string,
  current: Readonly<Record<string, unknown>> & { readonly updated_at: string },
): void {
  const { ifUpdatedAt } = ctx.call
  if (ifUpdatedAt === null || Date.parse(current.updated_at) <= Date.parse(ifUpdatedAt)) return
  throw new ToolError('stale_write', `${what} was changed at ${current.updated_at}, after the version that you read.`, {
    field: '_meta.ifUpdatedAt',
    hint: 'Look at the current values, then send your change again with the new updated_at.',
    details: { current },
  })
}
