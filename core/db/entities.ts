import { p } from '@mikro-orm/core'
import { defineTable } from '../plugin/define-table.ts'
import type { TablesOf } from '../plugin/tables.ts'

const UserSchema = defineTable('core.users', {
  properties: {
    id: p.uuid().primary(),
    email: p.text().unique(),
    name: p.text(),
    timeZone: p.text().default('Asia/Tokyo'),
    /** Administrators may read the whole audit trail and manage users. */
    isAdministrator: p.boolean().default(false),
    disabledAt: p.datetime().nullable(),
    /** Time of the last revocation of all access, or of disabling. A sign-in that began before cannot be completed. */
    accessEndedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})

const TokenSchema = defineTable('core.tokens', {
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserSchema).deleteRule('cascade'),
    name: p.text(),
    scope: p.enum(['read', 'write'] as const),
    /** Actor that the change history shows for calls with this token. */
    actorKind: p.enum(['agent', 'human'] as const).default('agent'),
    /** SHA-256 of the token, base64url; the token itself is never stored. */
    hash: p.text().unique(),
    /** Last four characters of the token, to recognize it in a list. */
    hint: p.text(),
    /** Ids of the projects that the token may access; null = all. */
    projects: p.json<readonly string[]>().nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
})

const ConfirmationSchema = defineTable('core.confirmations', {
  properties: {
    /** SHA-256 of the confirm token, base64url. */
    hash: p.text().primary(),
    credentialId: p.uuid(),
    /** Digest of tool and arguments. */
    digest: p.text(),
    expiresAt: p.datetime().index(),
  },
})

/** Calls that the user confirms on a page. */
const PageConfirmationSchema = defineTable('core.page_confirmations', {
  properties: {
    owner: () => p.manyToOne(UserSchema).primary().deleteRule('cascade'),
    /** 192 random bits, base64url. */
    id: p.text().primary(),
    credentialId: p.uuid(),
    /** Name of the credential when the call was made. */
    credential: p.text().nullable(),
    /** Name of the client program. */
    client: p.text().nullable(),
    tool: p.text(),
    /** Digest of tool and arguments; the arguments stay with the call. */
    digest: p.text(),
    /** Effect of the call, shown to the user. */
    effect: p.text(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().index(),
    decidedAt: p.datetime().nullable(),
    agreed: p.boolean().nullable(),
    /** An agreement can be used once. */
    usedAt: p.datetime().nullable(),
  },
})

const IdempotencyKeySchema = defineTable('core.idempotency_keys', {
  properties: {
    credentialId: p.uuid().primary(),
    key: p.text().primary(),
    /** Digest of tool and arguments. */
    digest: p.text(),
    /** Result of the first call, encrypted; null only inside the transaction of that call. */
    result: p.json<unknown>().nullable(),
    createdAt: p.datetime().index(),
  },
})

/** Plugins of the last start, so that a re-enabled plugin can catch up. */
const PluginStateSchema = defineTable('core.plugins', {
  properties: { name: p.text().primary(), version: p.text(), enabled: p.boolean(), seenAt: p.datetime() },
})

/** Oldest version that each migration is compatible with; see compatibility.ts. */
const MigrationCompatibilitySchema = defineTable('core.migration_compatibility', {
  properties: {
    /** `plugin/0001_init` */
    migration: p.text().primary(),
    /** Oldest compatible version of the plugin, or of the program for migrations of core. */
    compatibleFrom: p.text(),
  },
})

/** All records of the authorization server: clients, sessions, codes, tokens, connections (kind Grant) and its keys. */
const OAuthArtifactSchema = defineTable('core.oauth_artifacts', {
  properties: {
    /** SHA-256 of kind and id, base64url. It is hashed because the id of a token or code is the secret itself. */
    id: p.text().primary(),
    kind: p.text(),
    /** Contains no usable secret: secrets that have to be returned later are encrypted. */
    payload: p.json<{ readonly clientId?: string; readonly connection?: object; readonly sealed?: string }>(),
    user: () => p.manyToOne(UserSchema).deleteRule('cascade').nullable().index(),
    /** Connection that a code or token belongs to. For a Grant it is the id of the Grant itself. */
    connectionId: p.uuid().nullable().index(),
    /** Finds a browser session without its cookie. */
    uid: p.text().nullable().index(),
    createdAt: p.datetime(),
    /** Null = no expiry. */
    expiresAt: p.datetime().nullable().index(),
    consumedAt: p.datetime().nullable(),
    /** For connections only. */
    lastUsedAt: p.datetime().nullable(),
  },
})

/** The audit trail. Triggers refuse updates, and deletes except by the retention job; see 0004_audit. */
const AuditSchema = defineTable('core.audit', {
  properties: {
    /** User whose account is concerned, possibly deleted; the nil UUID = unknown. */
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    at: p.datetime(),
    action: p.text(),
    outcome: p.enum(['ok', 'refused', 'failed'] as const),
    actorId: p.uuid().nullable(),
    actorKind: p.enum(['human', 'assistant', 'agent', 'system'] as const).nullable(),
    credentialId: p.uuid().nullable(),
    /** Names at the time of the entry. */
    credential: p.text().nullable(),
    client: p.text().nullable(),
    clientVersion: p.text().nullable(),
    address: p.text().nullable(),
    targetKind: p.text().nullable(),
    targetId: p.text().nullable(),
    target: p.text().nullable(),
    requestId: p.text().nullable(),
    /** Number of refusals that a burst entry stands for. */
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
