import { belongsTo, defineTable, indexOn, ownedKey, p, type TablesOf } from 'tasuki/entities'
import { searchColumns } from '../search/entities.ts'

/** A conversation of one credential and client: digests of its tool calls, and messages from a chat front end. */
export const Thread = defineTable('conversations.threads', {
  properties: {
    /** The user of the conversation. */
    ...ownedKey,
    /** The credential, or the user if there is none. */
    credential: p.text(),
    /** The client's name for itself; empty if it sends none. */
    client: p.text(),
    title: p.text().nullable(),
    ...searchColumns,
    /** Number of stored messages. */
    messages: p.integer(),
    startedAt: p.datetime(),
    lastAt: p.datetime(),
    /** Null = open, or idle but not yet closed. */
    closedAt: p.datetime().nullable(),
  },
  indexes: [
    { name: 'threads_recent', properties: ['ownerId', 'lastAt', 'id'] },
    { name: 'threads_analyzer', properties: ['analyzer', 'ownerId'] },
    { name: 'threads_open', properties: ['ownerId', 'lastAt'], where: { closedAt: null } },
    indexOn('threads_tsv', 'using gin (owner_id, tsv)'),
  ],
})

/** The current thread of a credential and client; valid while the thread is not idle. */
const CurrentSchema = defineTable('conversations.current', {
  properties: {
    ownerId: p.uuid().primary(),
    credential: p.text().primary(),
    client: p.text().primary(),
    thread: () => belongsTo(Thread, 'thread_id'),
    lastAt: p.datetime(),
  },
  indexes: [{ name: 'current_thread', properties: ['ownerId', 'thread'] }],
})

const MessageSchema = defineTable('conversations.messages', {
  properties: {
    ...ownedKey,
    /** No foreign key: it would be checked for each message, and the statement that adds messages locks the thread anyway. */
    thread: () =>
      p
        .manyToOne(Thread)
        .joinColumns('owner_id', 'thread_id')
        .ownColumns('thread_id')
        .createForeignKeyConstraint(false),
    /** `tool` = the digest of a tool call; a chat front end posts the others. */
    role: p.enum(['user', 'assistant', 'system', 'tool'] as const),
    content: p.text(),
    /** For a digest: the tool, its title argument, its items and the outcome. */
    tool: p.text().nullable(),
    title: p.text().nullable(),
    refs: p.json<readonly string[]>().nullable(),
    /** `ok` or the error code. */
    outcome: p.text().nullable(),
    ...searchColumns,
    createdAt: p.datetime(),
  },
  indexes: [
    { name: 'messages_thread', properties: ['ownerId', 'thread', 'id'] },
    { name: 'messages_analyzer', properties: ['analyzer', 'ownerId'] },
    indexOn('messages_tsv', 'using gin (owner_id, tsv)'),
  ],
})

/** The plan note of a thread. */
const PlanSchema = defineTable('conversations.plans', {
  properties: {
    ownerId: p.uuid().primary(),
    thread: () => belongsTo(Thread, 'thread_id').primary(),
    /** The note may belong to another owner, so there is no foreign key. */
    itemOwnerId: p.uuid(),
    itemId: p.uuid(),
    boundAt: p.datetime(),
  },
})

export const entities = [Thread, CurrentSchema, MessageSchema, PlanSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'conversations', typeof entities> {}
}
