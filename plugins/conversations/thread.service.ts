import { endOfPage, ToolError, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { deleteMessages } from './message.repository.ts'
import { deleteThreadRow, findThread, readThreads, type ThreadRecord } from './thread.repository.ts'

/** Creates the error for an unknown thread. */
export function threadNotFound(id: string): ToolError {
  return new ToolError('not_found', `There is no thread ${id}.`, {
    field: 'thread_id',
    hint: 'GET /api/threads lists your threads; POST /api/threads opens one.',
  })
}

export interface ThreadPage {
  readonly threads: readonly ThreadRecord[]
  readonly has_more: boolean
  readonly next_offset: number | null
}

/** Lists the caller's threads, latest first. */
export async function listThreads(
  ctx: ReadContext,
  { limit = 20, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): Promise<ThreadPage> {
  const threads = await readThreads(ctx, limit + 1, offset)
  return { threads: threads.slice(0, limit), ...endOfPage(threads.length, { limit, offset }) }
}

/** @throws ToolError not_found */
export async function requireThread(ctx: ReadContext, id: string): Promise<ThreadRecord> {
  const thread = await findThread(ctx, id)
  if (!thread) throw threadNotFound(id)
  return thread
}

/** Deletes a thread with its messages. @returns the number of messages @throws ToolError not_found */
export async function deleteThread(ctx: WriteContext, id: string): Promise<number> {
  const deleted = await deleteThreadRow(ctx, id)
  if (!deleted) throw threadNotFound(id)
  // A separate statement: the first may have waited for one that added messages, which it does not see.
  await deleteMessages(ctx, deleted.ownerId, id)
  return deleted.messages
}
