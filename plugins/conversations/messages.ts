import { choice, Type, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { insertMessages, readMessages, type PostedMessage } from './message.repository.ts'
import { threadNotFound } from './thread.service.ts'

const CONTENT_MAX = 32_000
/** Roles of messages from chat front ends. */
const POSTED_ROLES = ['user', 'assistant', 'system'] as const

/** The schema of a message from a front end. */
export const postedMessage = {
  role: choice(POSTED_ROLES, { description: 'Who said it.' }),
  content: Type.String({ minLength: 1, maxLength: CONTENT_MAX, description: 'Markdown.' }),
}
/**
 * Adds messages to a thread of the caller. Reopens a closed thread and makes it the current one of its credential and client.
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
  /** The `after` of the next page; null if the thread is empty. */
  readonly next_after: string | null
}

/** Lists messages of a thread of the caller, oldest first, after a given one. @throws ToolError not_found */
export async function listMessages(
  ctx: ReadContext,
  threadId: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<MessagePage> {
  const found = await readMessages(ctx, threadId, limit + 1, after)
  if (!found) throw threadNotFound(threadId)
  const page = found.slice(0, limit)
  return { messages: page, has_more: found.length > limit, next_after: page.at(-1)?.id ?? after ?? null }
}
