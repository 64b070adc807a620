import { choice, Type, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { insertMessages, readMessages, type PostedMessage } from './message.repository.ts'
import { threadNotFound } from './thread.service.ts'

const CONTENT_MAX = 32_000
/** Roles of messages that chat front ends post. */
const POSTED_ROLES = ['user', 'assistant', 'system'] as const

/** A message as front ends post it. */
export const postedMessage = {
  role: choice(POSTED_ROLES, { description: 'Who said it.' }),
  content: Type.String({ minLength: 1, maxLength: CONTENT_MAX, description: 'Markdown.' }),
}
/**
 * Adds messages to a thread of the caller. The thread is open again if it was closed, and is the current one of its credential and client.
 * @throws ToolError not_found
 */
export async function postMessages(
  ctx: WriteContext,
  threadId: string,
  messages: readonly PostedMessage[],
): Promise<readonly object[]> {
  const added = await insertMessages(ctx, threadId, messages)
  if (added.length === 0) throw threadNotFound(threadId)
  return added
}

export interface MessagePage {
  readonly messages: readonly object[]
  readonly has_more: boolean
  /** The `after` of the next page; null = the thread is empty. */
  readonly next_after: string | null
}

/** Messages of a thread of the caller, oldest first, after one of them. @throws ToolError not_found */
export async function listMessages(
  ctx: ReadContext,
  threadId: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<MessagePage> {
  const found = await readMessages(ctx, threadId, limit + 1, after)
  if (!found) throw threadNotFound(threadId)
  const page = found.slice(0, limit)
  return {
    messages: page,
    has_more: found.length > limit,
    next_after: page.at(-1)?.id ?? after ?? null,
  }
}
