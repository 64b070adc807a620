/** Pattern of an e-mail address. It rejects what is not an address; only a message to it proves that it exists. */
export const EMAIL = /^[^@\s]+@[^@\s]+$/

/** Tests whether the text is an e-mail address of at most 254 characters. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text) && text.length <= 254
}

export interface User {
  readonly id: string
  readonly email: string
  readonly name: string
  /** IANA time zone of the user's due dates. */
  readonly timeZone: string
}

export interface NewUser {
  readonly email: string
  /** Default: the part of the e-mail address before the @. */
  readonly name?: string | undefined
  /** IANA name; default Asia/Tokyo. */
  readonly timeZone?: string | undefined
}

/** Origin of a new way into an account. */
export interface AccessOrigin {
  readonly address: string | null
  /** Browser and operating system, from the User-Agent header. */
  readonly browser: string | null
}

export interface NewToken {
  readonly userId: string
  readonly name: string
  readonly scope: 'read' | 'write'
  readonly actorKind?: 'agent' | 'human'
  readonly expiresAt?: Date | null
  /** Ids of the projects that the token may access; null = all. */
  readonly projects?: readonly string[] | null
  /** Maximum number of the user's live tokens, including this one; undefined = unlimited. */
  readonly most?: number
  /** Undefined = created by a command. */
  readonly from?: AccessOrigin
  /** A value chosen by the operator instead of a random one. */
  readonly value?: string
}

/** An unrevoked personal access token for its owner. Times are ISO 8601 UTC. */
export interface IssuedToken {
  readonly id: string
  readonly name: string
  readonly scope: 'read' | 'write'
  /** Last four characters of the token. */
  readonly hint: string
  /** Ids of the projects that the token may access; null = all. */
  readonly projects: readonly string[] | null
  readonly createdAt: string
  /** Null = no expiry. Expired tokens are listed too. */
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

/** Access that stays when all other access of a user is revoked. */
export interface KeptAccess {
  /** The browser session from which the user revokes the rest. */
  readonly sessionId?: string
}

/** Number of revoked entries by kind: `tokens`, `apps`, and the kinds of plugins. */
export type RevokedAccess = Readonly<Record<string, number>>

/** Read access to users and their personal access tokens. */
export interface UserDirectory {
  /** Finds a user by e-mail address, or the only user; for commands. @throws ToolError not_found, missing_argument */
  require(email: string | undefined): Promise<User>
  /** Lists the unrevoked tokens of a user, newest first. */
  tokens(userId: string): Promise<readonly IssuedToken[]>
}

/** Read and write access to users, inside a transaction. */
export interface UserAccounts extends UserDirectory {
  /** Creates a user, with the data that enabled plugins create for every user. @throws ToolError conflict */
  create(user: NewUser): Promise<User>
  /** Changes the name of a user and the time zone of due dates. @throws ToolError invalid_argument */
  update(userId: string, change: { readonly name: string; readonly timeZone: string }): Promise<void>
  /**
   * Changes the e-mail address of a user and notifies them.
   * @param from origin of the user's request; undefined = the operator, who vouches for the address
   * @throws ToolError invalid_argument, conflict if another user has the address
   */
  setEmail(user: Pick<User, 'id' | 'email'>, email: string, from?: AccessOrigin): Promise<void>
  /** Issues a personal access token and notifies its user. The value is shown once and never stored. @throws ToolError limit_exceeded */
  issueToken(token: NewToken): Promise<{ readonly id: string; readonly value: string }>
  /** Revokes a token on every instance at once. @param userId required owner; undefined = any @throws ToolError not_found */
  revokeToken(id: string, userId?: string): Promise<{ readonly id: string; readonly name: string }>
  /**
   * Discards stored results of a user's calls with idempotency keys, because the user may see less now. The keys stay used, so the calls
   * are not executed again.
   */
  forgetAnswers(userId: string): Promise<void>
  /** Revokes all tokens, connected apps and browser sessions of a user, on every instance at once. */
  revokeAccess(userId: string, keep?: KeptAccess): Promise<RevokedAccess>
}

/** Placeholder address of the owner that a first start creates without an address. */
export const PLACEHOLDER_EMAIL = 'owner@localhost'
