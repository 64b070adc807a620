/** A small value about the calling user that most calls need. It is loaded with the credential and cached with it. */
export interface PrincipalClaim<T> {
  readonly name: string
  /** Scalar SQL subquery (jsonb) on the user row, alias `u` (columns id, email, name, time_zone). */
  readonly sql: string
  /** Parses the loaded JSON (null if nothing was found); runs once per load. */
  parse(json: unknown): T
}

/** Declares a claim. List it in `definePlugin({ claims })`, read it with `ctx.claim`, and call `ctx.claimsChanged` when it changes. */
export function defineClaim<T>(claim: PrincipalClaim<T>): PrincipalClaim<T> {
  return claim
}
