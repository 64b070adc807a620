import type { ReadContext } from './context.ts'
import { ToolError } from './errors.ts'

/**
 * Refuses the write of a record that changed after `_meta.ifUpdatedAt`, which every tool that writes a record with `updated_at` heeds.
 * @param what the record in words, for example `The sprint One`
 * @param current the record as it is now; the caller gets it back
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
