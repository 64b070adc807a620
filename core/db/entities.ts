import { defineEntity, p } from '@mikro-orm/core'
import type { TablesOf } from '../plugin/tables.ts'

const UserSchema = defineEntity({
  name: 'User',
  schema: 'core',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    email: p.text().unique(),
    name: p.text(),
    timeZone: p.text().default('Asia/Tokyo'),
    /** May do what concerns all users: read the whole audit trail. */
    isAdministrator: p.boolean().default(false),
    disabledAt: p.datetime().nullable(),
    /** When all access was last revoked, or the user disabled: what was begun before, such as half a sign-in, is not finished. */
    accessEndedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})
export class UserEntity extends UserSchema.class {}
UserSchema.setClass(UserEntity)

const TokenSchema = defineEntity({
  name: 'Token',
  schema: 'core',
  tableName: 'tokens',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade'),
    name: p.text(),
    scope: p.enum(['read', 'write'] as const),
    /** Whose doing the calls count as in the change history. */
    actorKind: p.enum(['agent', 'human'] as const).default('agent'),
    /** SHA-256 of the token, base64url; the token itself is never stored. */
    hash: p.text().unique(),
    /** The last four characters, to tell tokens apart in a list. */
    hint: p.text(),
    /** Ids of the projects it is limited to; null = all. */
    projects: p.json<readonly string[]>().nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
})
export class TokenEntity extends TokenSchema.class {}
TokenSchema.setClass(TokenEntity)

const ConfirmationSchema = defineEntity({
  name: 'Confirmation',
  schema: 'core',
  tableName: 'confirmations',
  properties: {
    /** SHA-256 of the confirm token, base64url. */
    hash: p.text().primary(),
    credentialId: p.uuid(),
    /** Digest of tool and arguments. */
    digest: p.text(),
    expiresAt: p.datetime().index(),
  },
})

/** Calls whose user is asked on a page. */
const PageConfirmationSchema = defineEntity({
  name: 'PageConfirmation',
  schema: 'core',
  tableName: 'page_confirmations',
  properties: {
    owner: () => p.manyToOne(UserEntity).primary().deleteRule('cascade'),
    /** 192 random bits, base64url. */
    id: p.string().columnType('text').primary(),
    credentialId: p.uuid(),
    /** Name of the credential, as it was then. */
    credential: p.string().columnType('text').nullable(),
    /** Name of the client program. */
    client: p.string().columnType('text').nullable(),
    tool: p.string().columnType('text'),
    /** Digest of tool and arguments; the arguments stay with the call. */
    digest: p.string().columnType('text'),
    /** What the user is asked to agree to. */
    effect: p.string().columnType('text'),
    createdAt: p.datetime(),
    expiresAt: p.datetime().index(),
    decidedAt: p.datetime().nullable(),
    agreed: p.boolean().nullable(),
    /** An agreement is good once. */
    usedAt: p.datetime().nullable(),
  },
})

const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  schema: 'core',
  tableName: 'idempotency_keys',
  properties: {
    credentialId: p.uuid().primary(),
    key: p.text().primary(),
    /** Digest of tool and arguments. */
    digest: p.text(),
    /** The first call's result, encrypted; null only inside the transaction that makes it. */
    result: p.json<unknown>().nullable(),
    createdAt: p.datetime().index(),
  },
})

/** Which plugins ran at the last boot, so that one that was off can catch up. */
const PluginStateSchema = defineEntity({
  name: 'PluginState',
  schema: 'core',
  tableName: 'plugins',
  properties: {
    name: p.text().primary(),
    version: p.text(),
    enabled: p.boolean(),
    seenAt: p.datetime(),
  },
})

/** Which older versions each migration leaves working; see compatibility.ts. */
const MigrationCompatibilitySchema = defineEntity({
  name: 'MigrationCompatibility',
  schema: 'core',
  tableName: 'migration_compatibility',
  properties: {
    /** `plugin/0001_init` */
    migration: p.text().primary(),
    /** The oldest version of its plugin, of the program for core. */
    compatibleFrom: p.text(),
  },
})

/** Everything the authorization server keeps: clients, sessions, codes, tokens, connections (kind Grant), its keys. */
const OAuthArtifactSchema = defineEntity({
  name: 'OAuthArtifact',
  schema: 'core',
  tableName: 'oauth_artifacts',
  properties: {
    /** SHA-256 of kind and id, base64url: the id of a token or code is the secret itself. */
    id: p.text().primary(),
    kind: p.text(),
    /** Without what could be used by somebody who reads it; secrets that have to be given back are encrypted. */
    payload: p.json<{ readonly clientId?: string; readonly connection?: object; readonly sealed?: string }>(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').nullable().index(),
    /** The connection that a code or token belongs to; that of a Grant is its own. */
    connectionId: p.uuid().nullable().index(),
    /** By which a browser session is found without its cookie. */
    uid: p.text().nullable().index(),
    createdAt: p.datetime(),
    /** Null = until it is ended. */
    expiresAt: p.datetime().nullable().index(),
    consumedAt: p.datetime().nullable(),
    /** Of connections. */
    lastUsedAt: p.datetime().nullable(),
  },
})

/** The audit trail. Triggers refuse changes, and removal but by the job that ends entries; see 0004_audit. */
const AuditSchema = defineEntity({
  name: 'Audit',
  schema: 'core',
  tableName: 'audit',
  properties: {
    /** User whose account it concerns, who may be gone; zeros = nobody who is known. */
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    at: p.datetime(),
    action: p.text(),
    outcome: p.enum(['ok', 'refused', 'failed'] as const),
    actorId: p.uuid().nullable(),
    actorKind: p.enum(['human', 'assistant', 'agent', 'system'] as const).nullable(),
    credentialId: p.uuid().nullable(),
    /** Names, as they were then. */
    credential: p.text().nullable(),
    client: p.text().nullable(),
    clientVersion: p.text().nullable(),
    address: p.text().nullable(),
    targetKind: p.text().nullable(),
    targetId: p.text().nullable(),
    target: p.text().nullable(),
    requestId: p.text().nullable(),
    /** Of refusals in a burst one entry tells how many there were. */
    times: p.integer().default(1),
    details: p.json<Readonly<Record<string, unknown>>>(),
  },
  indexes: [
    { name: 'audit_at', properties: ['at', 'id'] },
    { name: 'audit_actor', properties: ['actorId', 'id'] },
  ],
})

export const coreEntities = [
  UserSchema,
  TokenSchema,
  ConfirmationSchema,
  PageConfirmationSchema,
  IdempotencyKeySchema,
  PluginStateSchema,
  MigrationCompatibilitySchema,
  OAuthArtifactSchema,
  AuditSchema,
]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'core', typeof coreEntities> {}
}
