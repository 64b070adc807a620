/** One value that a plugin adds to a point; made by calling the point. */
export interface Contribution {
  readonly point: string
  readonly value: unknown
  /** Plugins without which it does not count, besides the one that owns the point. */
  readonly needs?: readonly string[]
}

/** Contributions that count only where all of these plugins are on. */
export function whenEnabled(plugins: readonly string[], contributions: readonly Contribution[]): Contribution[] {
  return contributions.map(given => ({ ...given, needs: [...(given.needs ?? []), ...plugins] }))
}

/** Contributions in a module of their own, which is imported only where they count. */
export interface LazyContributions {
  /** Plugins without which the module is not imported. */
  readonly needs: readonly string[]
  readonly load: () => Promise<{ readonly contributions: readonly Contribution[] }>
}

/** Imports contributions only where all of these plugins are on, for what takes time to load and is of no use without them: pages. */
export function lazyContributions(plugins: readonly string[], load: LazyContributions['load']): LazyContributions {
  return { needs: plugins, load }
}

/** A typed, named list that one plugin owns and reads, and that any plugin may add to. */
export interface ExtensionPoint<T> {
  (value: T): Contribution
  readonly id: string
  /** Carries the type only; never set. */
  readonly T?: T
}

/**
 * Defines an extension point.
 * @param id `<owner plugin>.<list>`; contributions count only while the owner is enabled.
 */
export function definePoint<T>(id: `${string}.${string}`): ExtensionPoint<T> {
  return Object.assign((value: T): Contribution => ({ point: id, value }), { id })
}

/** Gives the frozen contributions of a point, in dependency order of the plugins that made them. */
export type All = <T>(point: ExtensionPoint<T>) => readonly T[]
