export interface User {
  readonly id: string
  readonly email: string
  readonly name: string
  /** IANA name; due dates of the user are in it. */
  readonly timeZone: string
}

export interface NewUser {
  readonly email: string
  /** Default: the part of the address before the @. */
  readonly name?: string | undefined
  /** IANA name; default Asia/Tokyo. */
  readonly timeZone?: string | undefined
}

/** Where a way into an account was made. */
export interface AccessOrigin {
  readonly address: string | null
  /** Browser and system, as far as its header says. */
  readonly browser: string | null
}

export interface NewToken {
  readonly userId: string
  readonly name: string
  readonly scope: 'read' | 'write'
  readonly actorKind?: 'agent' | 'human'
  readonly expiresAt?: Date | null
  /** Ids of the projects it is limited to; null = all. */
  readonly projects?: readonly string[] | null
  /** The most live tokens that the user may have with it; left out = any number. */
  readonly most?: number
  /** Left out = by a command. */
  readonly from?: AccessOrigin
  /** A value chosen by the operator instead of a random one. */
  readonly value?: string
}

/** A personal access token that has not been revoked, as its owner sees it. Times are ISO 8601 UTC. */
export interface IssuedToken {
  readonly id: string
  readonly name: string
  readonly scope: 'read' | 'write'
  /** The last four characters of its value. */
  readonly hint: string
  /** Ids of the projects it is limited to; null = all. */
  readonly projects: readonly string[] | null
  readonly createdAt: string
  /** Null = does not expire; an expired one is still listed. */
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

/** What goes on when all other access of a user ends. */
export interface KeptAccess {
  /** The browser session from which somebody ends the rest. */
  readonly sessionId?: string
}

/** How much ended, by what it is: `tokens`, `apps`, and what plugins tell. */
export type RevokedAccess = Readonly<Record<string, number>>

/** The users of the service and their personal access tokens, to read. */
export interface UserDirectory {
  /** For commands: finds a user by e-mail address, or the only one there is. @throws ToolError not_found, missing_argument */
  require(email: string | undefined): Promise<User>
  /** The tokens of one user that have not been revoked, newest first. */
  tokens(userId: string): Promise<readonly IssuedToken[]>
}

/** The same in a transaction that changes them. */
export interface UserAccounts extends UserDirectory {
  /** Creates a user with everything that the enabled plugins give to every user. @throws ToolError conflict */
  create(user: NewUser): Promise<User>
  /** Changes the name of a user and the time zone of their due dates. @throws ToolError invalid_argument */
  update(userId: string, change: { readonly name: string; readonly timeZone: string }): Promise<void>
  /**
   * Gives a user another address, and tells them.
   * @param from whence the user asked for it; left out = the operator did, who vouches for the address
   * @throws ToolError invalid_argument, conflict where somebody has it
   */
  setEmail(user: Pick<User, 'id' | 'email'>, email: string, from?: AccessOrigin): Promise<void>
  /** Issues a personal access token and tells its user; the returned value is shown once and never stored. @throws ToolError limit_exceeded */
  issueToken(token: NewToken): Promise<{ readonly id: string; readonly value: string }>
  /**
   * Ends a token at once, on every instance.
   * @param userId whose token it has to be; left out, anybody's
   * @throws ToolError not_found
   */
  revokeToken(id: string, userId?: string): Promise<{ readonly id: string; readonly name: string }>
  /** Forgets what calls with idempotency keys of a user answered, where they may see less now; the calls are not made again. */
  forgetAnswers(userId: string): Promise<void>
  /** Ends all tokens, connected apps and browser sessions of a user at once, on every instance. */
  revokeAccess(userId: string, keep?: KeptAccess): Promise<RevokedAccess>
}

/** The address of an owner whom a first start made without knowing one. */
export const PLACEHOLDER_EMAIL = 'owner@localhost'
