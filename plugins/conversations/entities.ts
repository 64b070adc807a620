import { belongsTo, defineTable, indexOn, ownedKey, p, type TablesOf } from 'tasuki/entities'

/** A conversation of one credential and client: what its tools did, and what a chat front end posted. */
const ThreadSchema = defineTable('conversations.threads', {
  properties: {
    /** Whose conversation it is. */
    ...ownedKey,
    /** The credential, or the user where there is none. */
    credential: p.text(),
    /** What the client calls itself; empty when it does not say. */
    client: p.text(),
    title: p.text().nullable(),
    /** Of the title, for searches; so are its vector and what made it. */
    tsv: p.string().columnType('tsvector'),
    /** The version of the analyzer that made `tsv`. */
    analyzer: p.smallint().default(1),
    code: p.string().columnType('varbit').nullable(),
    vector: p.float().array().columnType('real[]').nullable(),
    model: p.text().nullable(),
    /** Messages that are kept. */
    messages: p.integer(),
    startedAt: p.datetime(),
    lastAt: p.datetime(),
    /** Null = open, or idle and not closed yet. */
    closedAt: p.datetime().nullable(),
  },
  indexes: [
    { name: 'threads_recent', properties: ['ownerId', 'lastAt', 'id'] },
    { name: 'threads_analyzer', properties: ['analyzer', 'ownerId'] },
    { name: 'threads_open', properties: ['ownerId', 'lastAt'], where: { closedAt: null } },
    indexOn('threads_tsv', 'using gin (owner_id, tsv)'),
  ],
})
export class Thread extends ThreadSchema.class {}
ThreadSchema.setClass(Thread)

/** The thread that a credential and client are in; it counts for as long as it is not idle. */
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
    /** No foreign key: it would be checked for each message, and the statement that adds messages holds their thread anyway. */
    thread: () =>
      p
        .manyToOne(Thread)
        .joinColumns('owner_id', 'thread_id')
        .ownColumns('thread_id')
        .createForeignKeyConstraint(false),
    /** `tool` = the digest of a tool call; the others are what a chat front end posted. */
    role: p.enum(['user', 'assistant', 'system', 'tool'] as const),
    content: p.text(),
    /** Of a digest: the tool, the title that it was given, what it was about, and how it ended. */
    tool: p.text().nullable(),
    title: p.text().nullable(),
    refs: p.json<readonly string[]>().nullable(),
    /** `ok` or the code of the error. */
    outcome: p.text().nullable(),
    tsv: p.string().columnType('tsvector'),
    /** The version of the analyzer that made `tsv`. */
    analyzer: p.smallint().default(1),
    code: p.string().columnType('varbit').nullable(),
    vector: p.float().array().columnType('real[]').nullable(),
    model: p.text().nullable(),
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
    /** The note may be in a project of another owner, so there is no foreign key. */
    itemOwnerId: p.uuid(),
    itemId: p.uuid(),
    boundAt: p.datetime(),
  },
})

export const entities = [ThreadSchema, CurrentSchema, MessageSchema, PlanSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'conversations', typeof entities> {}
}
