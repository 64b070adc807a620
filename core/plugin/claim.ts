/** Something small about the calling user that most calls need; loaded with the credential and cached with it. */
export interface Fact<T> {
  readonly name: string
  /** A scalar SQL sub-select (jsonb) on the user row, alias `u` (columns id, email, name, time_zone). */
  readonly sql: string
  /** Turns the loaded JSON (null when nothing was found) into the value; runs once per load. */
  parse(json: unknown): T
}

/** Declares a fact; list it in `definePlugin({ facts })` and read it with `ctx.fact`. Call `ctx.factsChanged` when it changes. */
export function defineFact<T>(fact: Fact<T>): Fact<T> {
  return fact
}
