import { Type } from 'tasuki/plugin'
import { renderBeginning, markerFor, searchKinds, vectorTables, type KindRequest } from '../search/index.ts'
import { messageText, searchMessages, searchThreads, threadTitle, type Hit } from './search.repository.ts'
import { threadSchema } from './thread.ts'

const hit = { snippet: Type.Optional(Type.String()), score: Type.Number() }

/** Threads by their titles and their best messages. */
const threads = searchKinds({
  kind: 'thread',
  list: 'threads',
  row: Type.Composite([threadSchema, Type.Object(hit)]),
  async search(ctx, request) {
    if (request.words.length === 0) return []
    return toHits(await searchThreads(ctx, request), request)
  },
})

/** Single messages: digests of calls and messages from chat front ends. */
const threadMessages = searchKinds({
  kind: 'thread_message',
  list: 'thread_messages',
  row: Type.Object({
    id: Type.String(),
    thread_id: Type.String(),
    thread_title: Type.Optional(Type.String()),
    role: Type.String(),
    created_at: Type.String(),
    ...hit,
  }),
  async search(ctx, request) {
    if (request.words.length === 0) return []
    return toHits(await searchMessages(ctx, request), request)
  },
})

function toHits(hits: readonly Hit[], { words }: KindRequest): object[] {
  const marker = markerFor(words)
  return hits.map(({ hit: row, content, score }) => {
    const snippet = content === null ? '' : (marker.mark(content) ?? renderBeginning(content))
    return { ...row, ...(snippet !== '' && { snippet }), score: Number(score.toPrecision(4)) }
  })
}

export const onSearch = [
  threads,
  threadMessages,
  vectorTables({ table: 'conversations.messages', text: messageText }),
  vectorTables({ table: 'conversations.threads', text: threadTitle }),
]
