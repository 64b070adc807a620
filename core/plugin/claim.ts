/** Something small about the calling user that most calls need; loaded with the credential and cached with it. */
export interface PrincipalClaim<T> {
  readonly name: string
  /** A scalar SQL sub-select (jsonb) on the user row, alias `u` (columns id, email, name, time_zone). */
  readonly sql: string
  /** Turns the loaded JSON (null when nothing was found) into the value; runs once per load. */
  parse(json: unknown): T
}

/** Declares a claim; list it in `definePlugin({ claims })` and read it with `ctx.claim`. Call `ctx.claimsChanged` when it changes. */
export function defineClaim<T>(claim: PrincipalClaim<T>): PrincipalClaim<T> {
  return claim
}
