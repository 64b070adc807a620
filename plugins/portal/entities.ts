import { defineTable, ownedKey, p, type TablesOf } from 'tasuki/entities'

/** A user without a row cannot sign in with a password. */
const PasswordSchema = defineTable('portal.passwords', {
  properties: {
    ownerId: p.uuid().primary(),
    /** PHC string, which includes the parameters. */
    hash: p.text(),
    updatedAt: p.datetime(),
  },
})

/** A browser session of a user. */
const SessionSchema = defineTable('portal.sessions', {
  properties: {
    ...ownedKey,
    /** SHA-256 of the cookie's secret, base64url. */
    hash: p.text(),
    ip: p.text(),
    userAgent: p.text(),
    createdAt: p.datetime(),
    /** Accurate to about a minute. */
    seenAt: p.datetime(),
    expiresAt: p.datetime().index('sessions_expires'),
    /** When the user last confirmed their identity, by a password or a fresh sign-in at the provider. */
    confirmedAt: p.datetime().nullable(),
  },
})

/** A one-time link for setting a password. */
const SetupLinkSchema = defineTable('portal.setup_links', {
  properties: {
    /** SHA-256 of the code, base64url. The request contains only the code, so the key has no owner. */
    hash: p.text().primary(),
    /** The user whose password it sets; null = it creates the first user. */
    userId: p.uuid().nullable(),
    expiresAt: p.datetime(),
  },
})

/** An account at an OpenID provider that is linked to a user. */
const IdentitySchema = defineTable('portal.identities', {
  properties: {
    /**
     * Issuer and subject identify an account (OpenID Connect Core §5.7); the owner is the result of the lookup, so the key does not start
     * with it.
     */
    issuer: p.text().primary(),
    subject: p.text().primary(),
    userId: p.uuid().index('identities_user'),
    /** As stated by the provider, to distinguish identities. */
    email: p.text().nullable(),
    createdAt: p.datetime(),
  },
})

/** Failed sign-ins, shared by all instances. */
const AttemptSchema = defineTable('portal.attempts', {
  properties: {
    /** `pair <SHA-256 of the account> <network>`, `account <SHA-256>`, `codes <SHA-256>`, `ip <network>` or `device <SHA-256>`. */
    key: p.text().primary(),
    failures: p.integer(),
    /** When the counter resets. */
    expiresAt: p.datetime(),
  },
})

/** A user's preferences for the portal; null = the browser's setting. */
const PreferenceSchema = defineTable('portal.preferences', {
  properties: {
    ownerId: p.uuid().primary(),
    language: p.text().nullable(),
    theme: p.enum(['light', 'dark'] as const).nullable(),
  },
})

/** The authenticator app of a user (TOTP, RFC 6238). */
const AuthenticatorSchema = defineTable('portal.authenticators', {
  properties: {
    ownerId: p.uuid().primary(),
    /** Sealed; base32 inside. */
    secret: p.text(),
    /** The 30-second period of the last used code: no code can be used twice. */
    lastStep: p.integer(),
    createdAt: p.datetime(),
  },
})

/** A passkey of a user in a device or security key (WebAuthn). */
const PasskeySchema = defineTable('portal.passkeys', {
  properties: {
    ...ownedKey,
    /** Chosen by the authenticator, base64url. */
    credentialId: p.text(),
    /** COSE key, base64url. */
    publicKey: p.text(),
    /** Use counter of the authenticator; stays at 0 for most synchronized keys. */
    counter: p.decimal().columnType('numeric'),
    /** Transports of the authenticator, separated by commas. */
    transports: p.text(),
    name: p.text(),
    createdAt: p.datetime(),
    /** When the last consumed challenge was issued; earlier ones are rejected. */
    challengedAt: p.datetime(),
    usedAt: p.datetime().nullable(),
  },
  uniques: [{ name: 'passkeys_credential', properties: ['ownerId', 'credentialId'] }],
})

/** One-time codes that replace a lost second factor. */
const RecoveryCodeSchema = defineTable('portal.recovery_codes', {
  properties: {
    ownerId: p.uuid().primary(),
    /** SHA-256, base64url; the codes have 79 random bits. */
    hash: p.text().primary(),
  },
})

export const entities = [
  PasswordSchema,
  SessionSchema,
  SetupLinkSchema,
  IdentitySchema,
  AttemptSchema,
  PreferenceSchema,
  AuthenticatorSchema,
  PasskeySchema,
  RecoveryCodeSchema,
]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'portal', typeof entities> {}
}
