import type { TSchema } from '@sinclair/typebox'

/** A value that a plugin adds to a point; created by calling the point. */
export interface Contribution {
  readonly point: string
  readonly value: unknown
  /** Plugins that must be enabled, in addition to the owner of the point. */
  readonly needs?: readonly string[]
}

/** Restricts contributions to deployments where all of these plugins are enabled. */
export function whenEnabled(plugins: readonly string[], contributions: readonly Contribution[]): Contribution[] {
  return contributions.map(contribution => ({ ...contribution, needs: [...(contribution.needs ?? []), ...plugins] }))
}

/** Contributions in a separate module, which is imported only if needed. */
export interface LazyContributions {
  /** Plugins that must be enabled for the import. */
  readonly needs: readonly string[]
  readonly load: () => Promise<{ readonly contributions: readonly Contribution[] }>
}

/** Imports contributions only if all of these plugins are enabled, for modules that are slow to load, such as pages. */
export function lazyContributions(plugins: readonly string[], load: LazyContributions['load']): LazyContributions {
  return { needs: plugins, load }
}

/** What the host checks of the values of a point. */
export interface PointRules<Member extends string = string> {
  /** Members that a value needs. */
  readonly requires?: readonly Member[]
  /** Members that a value needs and that are functions. */
  readonly calls?: readonly Member[]
  /** Member that differs between the values. */
  readonly unique?: Member
  /** What a value must be: plugins in plain JavaScript have no compiler that says so. */
  readonly shape?: TSchema | 'function'
}

/** A typed, named list that one plugin owns and reads, and that any plugin may contribute to. */
export interface ExtensionPoint<T> {
  (value: T): Contribution
  readonly id: string
  readonly rules: PointRules
  /** Carries the type only; never set. */
  readonly T?: T
}

/** Defines an extension point. @param id `<owner plugin>.<list>`; contributions are ignored while the owner is disabled */
export function definePoint<T>(id: `${string}.${string}`, rules: PointRules<keyof T & string> = {}): ExtensionPoint<T> {
  return Object.assign((value: T): Contribution => ({ point: id, value }), { id, rules })
}

/** Defines an extension point whose values are functions. */
export function defineHook<T>(id: `${string}.${string}`): ExtensionPoint<T> {
  return definePoint(id, { shape: 'function' })
}

/** Returns the frozen contributions to a point, in dependency order of their plugins. */
export type All = <T>(point: ExtensionPoint<T>) => readonly T[]
