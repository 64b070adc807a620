import { defineTable, ownedKey, p, type TablesOf } from 'tasuki/entities'

/** A user without a row cannot sign in with a password. */
const PasswordSchema = defineTable('portal.passwords', {
  properties: {
    ownerId: p.uuid().primary(),
    /** PHC string with the parameters that it was made with. */
    hash: p.text(),
    updatedAt: p.datetime(),
  },
})

/** A browser in which somebody is signed in. */
const SessionSchema = defineTable('portal.sessions', {
  properties: {
    ...ownedKey,
    /** SHA-256 of the cookie's secret, base64url. */
    hash: p.text(),
    ip: p.text(),
    userAgent: p.text(),
    createdAt: p.datetime(),
    /** Within a minute or so. */
    seenAt: p.datetime(),
    expiresAt: p.datetime().index('sessions_expires'),
    /** When the person last proved who they are, by a password or a fresh sign-in at the provider. */
    confirmedAt: p.datetime().nullable(),
  },
})

/** A one-time link by which somebody sets a password. */
const SetupLinkSchema = defineTable('portal.setup_links', {
  properties: {
    /** SHA-256 of the code, base64url. The code is all that is known of who brings it, so nothing leads it. */
    hash: p.text().primary(),
    /** Whose password it sets; null = it makes the first user. */
    userId: p.uuid().nullable(),
    expiresAt: p.datetime(),
  },
})

/** An account at an OpenID provider that signs a user in. */
const IdentitySchema = defineTable('portal.identities', {
  properties: {
    /** Issuer and subject identify a person (OpenID Connect Core §5.7); whose they are is what is looked up. */
    issuer: p.text().primary(),
    subject: p.text().primary(),
    userId: p.uuid().index('identities_user'),
    /** As the provider told it, to tell identities apart. */
    email: p.text().nullable(),
    createdAt: p.datetime(),
  },
})

/** Failed sign-ins, counted by all instances together. */
const AttemptSchema = defineTable('portal.attempts', {
  properties: {
    /** `pair <SHA-256 of the account> <network>`, `account <SHA-256>`, `codes <SHA-256>`, `ip <network>` or `device <SHA-256>`. */
    key: p.text().primary(),
    failures: p.integer(),
    /** When counting begins anew. */
    expiresAt: p.datetime(),
  },
})

/** What a user chose for the portal; null = as the browser says. */
const PreferenceSchema = defineTable('portal.preferences', {
  properties: {
    ownerId: p.uuid().primary(),
    language: p.text().nullable(),
    theme: p.enum(['light', 'dark'] as const).nullable(),
  },
})

/** The authenticator app of a user, which makes codes that change each half minute (RFC 6238). */
const AuthenticatorSchema = defineTable('portal.authenticators', {
  properties: {
    ownerId: p.uuid().primary(),
    /** Sealed; base32 within. */
    secret: p.text(),
    /** Number of the half minute whose code was used last: no code counts twice. */
    lastStep: p.integer(),
    createdAt: p.datetime(),
  },
})

/** A key of a user in a device or security key (WebAuthn). */
const PasskeySchema = defineTable('portal.passkeys', {
  properties: {
    ...ownedKey,
    /** As the authenticator chose it, base64url. */
    credentialId: p.text(),
    /** COSE key, base64url. */
    publicKey: p.text(),
    /** Uses as the authenticator counts them; most keys that are synchronized stay at 0. */
    counter: p.decimal().columnType('numeric'),
    /** How browsers reach the authenticator, with commas. */
    transports: p.text(),
    name: p.text(),
    createdAt: p.datetime(),
    /** When the challenge was given that it answered last: of older ones none counts. */
    challengedAt: p.datetime(),
    usedAt: p.datetime().nullable(),
  },
  uniques: [{ name: 'passkeys_credential', properties: ['ownerId', 'credentialId'] }],
})

/** Codes that stand in once each for a second factor that is lost. */
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
